// What the agent does: the first word of a message decides. As the samples of the SDK, it publishes the task first, then what
// becomes of it, and says when it has finished.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const ACTIONS = {
  complete: (work) => {
    work.starts();
    work.adds('result', [text('done')]);
    work.ends('completed');
  },
  message: () => {},
  slow: async (work) => {
    work.starts();
    for (let number = 0; number < SLOW_CHUNKS; number += 1) {
      await pause(SLOW_PAUSE_MILLISECONDS);
      if (work.isCanceled()) {
        work.ends('canceled');
        return;
      }
      const isLast = number === SLOW_CHUNKS - 1;
      work.adds('slow result', [text(`chunk ${number}\n`)], { artifactId: 'slow', append: number > 0, isLast });
    }
    work.ends('completed');
  },
  chunks: (work) => {
    work.starts();
    for (let number = 0; number < 4; number += 1) {
      const options = { artifactId: 'chunked', append: number > 0, isLast: number === 3 };
      work.adds('in four chunks', [text(`part ${number} `)], options);
    }
    work.adds('in one piece', [text('whole')], { artifactId: 'second' });
    work.ends('completed');
  },
  'input-required': (work) => {
    work.starts();
    work.ends('input-required', 'which one?');
  },
  'auth-required': (work) => {
    work.starts();
    work.ends('auth-required', 'sign in, please');
  },
  fail: (work) => {
    work.starts();
    work.ends('failed', 'it went wrong');
  },
  reject: (work) => work.ends('rejected', 'not my work'),
  file: (work) => {
    work.starts();
    const bytes = Buffer.from([0, 1, 254, 255]).toString('base64');
    work.adds('files', [
      { kind: 'file', file: { bytes, mimeType: 'application/octet-stream', name: 'bytes.bin' } },
      { kind: 'file', file: { uri: 'https://example.com/report.pdf', mimeType: 'application/pdf', name: 'report.pdf' } },
    ]);
    work.ends('completed');
  },
  data: (work) => {
    work.starts();
    work.adds('data', [{ kind: 'data', data: { answer: 42, half: 0.5, none: null, list: [1, 'a'] } }]);
    work.ends('completed');
  },
};

// Any of these as the first word of a message; other words behave as `complete`.
export const TRIGGERS = Object.keys(ACTIONS);

// About three seconds of work: long enough to cancel, subscribe and list while it runs.
const SLOW_CHUNKS = 15;
const SLOW_PAUSE_MILLISECONDS = 200;

const INTERRUPTED = ['input-required', 'auth-required'];

function text(content) {
  return { kind: 'text', text: content };
}

function triggerOf(message) {
  const first = message.parts.find((part) => part.kind === 'text')?.text.trim().split(/\s+/)[0];
  return TRIGGERS.includes(first) ? first : 'complete';
}

// One task at work, and what can be said of it.
class Work {
  constructor({ taskId, contextId }, bus, canceled) {
    this.ids = { taskId, contextId };
    this.bus = bus;
    this.canceled = canceled;
  }

  isCanceled() {
    return this.canceled.has(this.ids.taskId);
  }

  starts(saying) {
    this.says('working', false, saying);
  }

  ends(state, saying) {
    this.says(state, true, saying);
  }

  says(state, final, saying) {
    const message = saying && {
      kind: 'message',
      role: 'agent',
      messageId: randomUUID(),
      parts: [text(saying)],
      ...this.ids,
    };
    const status = { state, timestamp: new Date().toISOString(), ...(message && { message }) };
    this.bus.publish({ kind: 'status-update', ...this.ids, status, final });
  }

  adds(name, parts, { artifactId = randomUUID(), append = false, isLast = true } = {}) {
    const artifact = { artifactId, name, parts };
    this.bus.publish({ kind: 'artifact-update', ...this.ids, artifact, append, lastChunk: isLast });
  }
}

// Announces these words in the card.
export const TRIGGERS_EXTENSION = 'urn:a2aspec:triggers:v1';

export class TriggeredExecutor {
  canceled = new Set();

  execute = async (context, bus) => {
    const trigger = triggerOf(context.userMessage);
    const work = new Work(context, bus, this.canceled);
    if (!context.task && trigger === 'message') {
      const parts = [text('a message and no task')];
      bus.publish({ kind: 'message', role: 'agent', messageId: randomUUID(), parts, contextId: context.contextId });
    } else if (!context.task) {
      const status = { state: 'submitted', timestamp: new Date().toISOString() };
      const { taskId, contextId, userMessage } = context;
      bus.publish({ kind: 'task', id: taskId, contextId, status, history: [userMessage], artifacts: [] });
      await ACTIONS[trigger](work);
    } else if (INTERRUPTED.includes(context.task.status.state)) {
      // A follow-up: the answer to a request for input or credentials.
      ACTIONS.complete(work);
    } else {
      // A follow-up runs beside the work that is still going on, which it leaves alone.
      work.starts('still at work');
    }
    bus.finished();
  };

  // The work itself sees this, and ends the task.
  cancelTask = async (taskId) => {
    this.canceled.add(taskId);
  };
}
