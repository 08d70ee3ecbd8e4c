// What the agents do: the first word of a message decides. Both versions do the same; how each says it is their own.

import { setTimeout as pause } from 'node:timers/promises';

// About three seconds of work: long enough to cancel, subscribe and list while it runs.
const SLOW_CHUNKS = 15;
const SLOW_PAUSE_MILLISECONDS = 200;

const ACTIONS = {
  complete: (work) => {
    work.starts();
    work.adds('result', [work.parts.text('done')]);
    work.completes();
  },
  message: () => {},
  slow: async (work) => {
    work.starts();
    for (let number = 0; number < SLOW_CHUNKS; number += 1) {
      await pause(SLOW_PAUSE_MILLISECONDS);
      if (work.isCanceled) {
        work.stops();
        return;
      }
      const isLast = number === SLOW_CHUNKS - 1;
      const options = { artifactId: 'slow', append: number > 0, isLast };
      work.adds('slow result', [work.parts.text(`chunk ${number}\n`)], options);
    }
    work.completes();
  },
  chunks: (work) => {
    work.starts();
    for (let number = 0; number < 4; number += 1) {
      const options = { artifactId: 'chunked', append: number > 0, isLast: number === 3 };
      work.adds('in four chunks', [work.parts.text(`part ${number} `)], options);
    }
    work.adds('in one piece', [work.parts.text('whole')], { artifactId: 'second' });
    work.completes();
  },
  'input-required': (work) => {
    work.starts();
    work.needsInput('which one?');
  },
  'auth-required': (work) => {
    work.starts();
    work.needsCredentials('sign in, please');
  },
  fail: (work) => {
    work.starts();
    work.fails('it went wrong');
  },
  reject: (work) => work.rejects('not my work'),
  file: (work) => {
    work.starts();
    const { bytes, link } = work.parts;
    work.adds('files', [
      bytes(Buffer.from([0, 1, 254, 255]), 'application/octet-stream', 'bytes.bin'),
      link('https://example.com/report.pdf', 'application/pdf', 'report.pdf'),
    ]);
    work.completes();
  },
  data: (work) => {
    work.starts();
    work.adds('data', [work.parts.data({ answer: 42, half: 0.5, none: null, list: [1, 'a'] })]);
    work.completes();
  },
};

// Any of these as the first word of a message; other words behave as `complete`.
const TRIGGERS = Object.keys(ACTIONS);

// What announces these words in the card.
export const EXTENSION = {
  uri: 'urn:a2aspec:triggers:v1',
  description: 'How to bring this agent into each task state.',
  required: false,
  params: Object.fromEntries(TRIGGERS.map((trigger) => [trigger, { text: trigger }])),
};
export const SKILL = {
  id: 'triggers',
  name: 'Triggers',
  description: 'Brings a task into the state that the first word names.',
  tags: ['test'],
  examples: TRIGGERS,
};

// What the samples of the SDK do: they publish the task first, then what becomes of it, and say when they have finished. The
// work says each thing in the words of its version: `answers` a message without a task, `begins` a task,
// or `goesOn` with one, and `stops` where somebody has cancelled it.
export async function act(word, isInterrupted, context, work) {
  const trigger = TRIGGERS.includes(word) ? word : 'complete';
  if (!context.task && trigger === 'message') {
    work.answers('a message and no task');
  } else if (!context.task) {
    work.begins(context.userMessage);
    await ACTIONS[trigger](work);
  } else if (isInterrupted) {
    // A follow-up: the answer to a request for input or credentials.
    work.goesOn(context.task);
    ACTIONS.complete(work);
  } else {
    // A follow-up runs beside the work that is still going on, which it leaves alone.
    work.goesOn(context.task);
    work.starts('still at work');
  }
}

// The first word of a text.
export function firstWord(text) {
  return text?.trim().split(/\s+/)[0];
}
