// What the agents on frameworks in JavaScript share: how they are started, and a model by the interface of the AI SDK. It does what
// the first word of a message asks for, as far as a model can.

import { parseArgs } from 'node:util';

const STEP_MILLISECONDS = 200;

// The port that an agent is to listen at; 0 stands for any free one. It ends with standard input if it is told to.
export function portOfArguments() {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '0' }, 'end-with-stdin': { type: 'boolean', default: false } },
  });
  // Whoever started the agent is gone, however it went.
  if (values['end-with-stdin']) process.stdin.on('end', () => process.exit(0)).resume();
  return Number(values.port);
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

function triggerOf(prompt) {
  // The frameworks drop messages without a text.
  const { content = [] } = prompt.filter(({ role }) => role === 'user').at(-1) ?? {};
  const trigger = content.map(({ text }) => text ?? '').join(' ').trim().split(/\s+/)[0];
  if (trigger === 'fail') throw new Error('it went wrong');
  return trigger;
}

function textsOf(trigger, slowSteps) {
  if (trigger === 'slow') return Array.from({ length: slowSteps }, (_, number) => `chunk ${number}\n`);
  if (trigger === 'chunks') return [0, 1, 2, 3].map((number) => `part ${number} `);
  return ['done'];
}

// The two calls of a model. Slow work takes so many steps of 0.2 s; `usage` and `finishReason` differ from version to version of the
// interface.
export function callsOfModel({ slowSteps, usage, finishReason }) {
  return {
    async doGenerate({ prompt, abortSignal }) {
      if (triggerOf(prompt) === 'slow') await pause(slowSteps * STEP_MILLISECONDS, abortSignal);
      return { content: [{ type: 'text', text: 'done' }], finishReason, usage, warnings: [] };
    },
    async doStream({ prompt, abortSignal }) {
      const trigger = triggerOf(prompt);
      async function* events() {
        yield { type: 'stream-start', warnings: [] };
        yield { type: 'text-start', id: '1' };
        for (const delta of textsOf(trigger, slowSteps)) {
          if (trigger === 'slow') await pause(STEP_MILLISECONDS, abortSignal);
          yield { type: 'text-delta', id: '1', delta };
        }
        yield { type: 'text-end', id: '1' };
        yield { type: 'finish', finishReason, usage };
      }
      return { stream: ReadableStream.from(events()) };
    },
  };
}
