// The work of the agent for 0.3, in the objects of @a2a-js/sdk 0.3.x.

import { randomUUID } from 'node:crypto';

import { act, firstWord } from './actions.mjs';

const INTERRUPTED = ['input-required', 'auth-required'];

const parts = {
  text: (content) => ({ kind: 'text', text: content }),
  data: (data) => ({ kind: 'data', data }),
  bytes: (bytes, mimeType, name) => ({ kind: 'file', file: { bytes: bytes.toString('base64'), mimeType, name } }),
  link: (uri, mimeType, name) => ({ kind: 'file', file: { uri, mimeType, name } }),
};

// One task at work, and what can be said of it.
class Work {
  parts = parts;

  constructor({ taskId, contextId }, bus, canceled) {
    this.ids = { taskId, contextId };
    this.bus = bus;
    this.canceled = canceled;
  }

  get isCanceled() {
    return this.canceled.has(this.ids.taskId);
  }

  answers(saying) {
    const { contextId } = this.ids;
    this.bus.publish({ kind: 'message', role: 'agent', messageId: randomUUID(), parts: [parts.text(saying)], contextId });
  }

  begins(message) {
    const { taskId: id, contextId } = this.ids;
    const status = { state: 'submitted', timestamp: new Date().toISOString() };
    this.bus.publish({ kind: 'task', id, contextId, status, history: [message], artifacts: [] });
  }

  // The stream of a follow-up may begin with what becomes of the task.
  goesOn() {}

  starts = (saying) => this.says('working', false, saying);
  completes = () => this.says('completed', true);
  stops = () => this.says('canceled', true);
  needsInput = (saying) => this.says('input-required', true, saying);
  needsCredentials = (saying) => this.says('auth-required', true, saying);
  fails = (saying) => this.says('failed', true, saying);
  rejects = (saying) => this.says('rejected', true, saying);

  says(state, final, saying) {
    const message = saying && {
      kind: 'message',
      role: 'agent',
      messageId: randomUUID(),
      parts: [parts.text(saying)],
      ...this.ids,
    };
    const status = { state, timestamp: new Date().toISOString(), ...(message && { message }) };
    this.bus.publish({ kind: 'status-update', ...this.ids, status, final });
  }

  adds(name, added, { artifactId = randomUUID(), append = false, isLast = true } = {}) {
    const artifact = { artifactId, name, parts: added };
    this.bus.publish({ kind: 'artifact-update', ...this.ids, artifact, append, lastChunk: isLast });
  }
}

export class TriggeredExecutor {
  canceled = new Set();

  execute = async (context, bus) => {
    const word = firstWord(context.userMessage.parts.find((part) => part.kind === 'text')?.text);
    const isInterrupted = INTERRUPTED.includes(context.task?.status.state);
    await act(word, isInterrupted, context, new Work(context, bus, this.canceled));
    bus.finished();
  };

  // The work itself sees this, and ends the task.
  cancelTask = async (taskId) => {
    this.canceled.add(taskId);
  };
}
