// The work of the agent for 1.0, in the objects of @a2a-js/sdk 1.x, which are those of the protocol's definition in proto.

import { randomUUID } from 'node:crypto';

import { Message, Part, Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent } from '@a2a-js/sdk-1';
import { AgentEvent } from '@a2a-js/sdk-1/server';

import { EXTENSION, act, firstWord } from './actions.mjs';

const INTERRUPTED = [TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_AUTH_REQUIRED];

const parts = {
  text: (text) => Part.fromJSON({ text }),
  data: (data) => Part.fromJSON({ data }),
  bytes: (bytes, mediaType, filename) => Part.fromJSON({ raw: bytes.toString('base64'), mediaType, filename }),
  link: (url, mediaType, filename) => Part.fromJSON({ url, mediaType, filename }),
};

// One task at work, and what can be said of it.
class Work {
  parts = parts;

  isCanceled = false;

  constructor({ taskId, contextId }, bus) {
    this.ids = { taskId, contextId };
    this.bus = bus;
  }

  message(saying, ids) {
    const message = Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_AGENT', ...ids });
    return { ...message, parts: [parts.text(saying)] };
  }

  answers(saying) {
    this.bus.publish(AgentEvent.message(this.message(saying, { contextId: this.ids.contextId })));
  }

  begins(message) {
    const { taskId: id, contextId } = this.ids;
    const status = { state: TaskState.TASK_STATE_SUBMITTED, timestamp: new Date().toISOString(), message: undefined };
    this.bus.publish(AgentEvent.task({ ...Task.fromJSON({ id, contextId }), status, history: [message] }));
  }

  // Each stream begins with the task, that of a follow-up, too.
  goesOn(task) {
    this.bus.publish(AgentEvent.task(task));
  }

  starts = (saying) => this.says(TaskState.TASK_STATE_WORKING, saying);
  completes = () => this.says(TaskState.TASK_STATE_COMPLETED);
  // Whoever cancelled it has said so.
  stops() {}
  needsInput = (saying) => this.says(TaskState.TASK_STATE_INPUT_REQUIRED, saying);
  needsCredentials = (saying) => this.says(TaskState.TASK_STATE_AUTH_REQUIRED, saying);
  fails = (saying) => this.says(TaskState.TASK_STATE_FAILED, saying);
  rejects = (saying) => this.says(TaskState.TASK_STATE_REJECTED, saying);

  says(state, saying) {
    const message = saying && this.message(saying, this.ids);
    const status = { state, timestamp: new Date().toISOString(), message };
    this.bus.publish(AgentEvent.statusUpdate({ ...TaskStatusUpdateEvent.fromJSON(this.ids), status }));
  }

  adds(name, added, { artifactId = randomUUID(), append = false, isLast: lastChunk = true } = {}) {
    const update = TaskArtifactUpdateEvent.fromJSON({ ...this.ids, artifact: { artifactId, name }, append, lastChunk });
    this.bus.publish(AgentEvent.artifactUpdate({ ...update, artifact: { ...update.artifact, parts: added } }));
  }
}

export class TriggeredExecutor {
  // The last work of each task.
  works = new Map();

  execute = async (context, bus) => {
    const { context: call } = context;
    if (call.requestedExtensions?.includes(EXTENSION.uri)) call.addActivatedExtension(EXTENSION.uri);
    const texts = context.userMessage.parts.filter((part) => part.content?.$case === 'text');
    const isInterrupted = INTERRUPTED.includes(context.task?.status?.state);
    const work = new Work(context, bus);
    // What runs beside other work is not what is cancelled.
    if (!context.task || isInterrupted) this.works.set(context.taskId, work);
    await act(firstWord(texts[0]?.content.value), isInterrupted, context, work);
    bus.finished();
  };

  // Says that the task is canceled, also where it waits for somebody; what works on it sees this, and stops.
  cancelTask = async (taskId) => {
    const work = this.works.get(taskId);
    work.isCanceled = true;
    work.says(TaskState.TASK_STATE_CANCELED);
  };
}
