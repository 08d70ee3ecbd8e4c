// The wrapper contract of `a2aspec client`, for a client in JavaScript. It knows no SDK: `wrapper.mjs` has what is about one.

import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** The SDK has no public way to do this. */
export class Unsupported extends Error {}
/** The command names what there is not. */
export class Usage extends Error {}

export const STREAMS = ['SendStreamingMessage', 'SubscribeToTask'];

/** What a case has under a name. */
export const need = (map, name) => {
  if (!map.has(name)) throw new Usage(`no ${name}`);
  return map.get(name);
};

/**
 * Connects, greets with `hello`, and does what it is told until the connection ends.
 *
 * `perform(command, kept, signal)` gives one result, `events(command, kept, signal)` several, and `error(error)` says the kind, code and
 * name of an error. `kept` is an object of the case, made by `keep()`; the signal ends what was begun.
 */
export async function serve({ hello, keep, perform, events, error }) {
  const [, host, port] = /^tcp:(.*):(\d+)$/.exec(process.env.A2ASPEC_WRAPPER);
  const socket = connect(Number(port), host.replace(/[[\]]/g, ''));
  const say = (answer) => socket.write(`${JSON.stringify(answer)}\n`);
  const cases = new Map();

  /** Does one command, and gives its last answer. */
  async function run(c, kept, state) {
    let timer;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => { state.late = true; state.abort.abort(); }, c.limit);
    };
    wait();
    try {
      if (!STREAMS.includes(c.do)) return { say: 'result', id: c.id, value: await perform(c, kept, state.abort.signal) };
      for await (const value of events(c, kept, state.abort.signal)) {
        wait();
        say({ say: 'event', id: c.id, value });
      }
      return { say: 'end', id: c.id, by: state.by ?? 'agent' };
    } catch (thrown) {
      if (state.by) return { say: 'end', id: c.id, by: state.by };
      if (thrown instanceof Unsupported) return { say: 'unsupported', id: c.id, why: thrown.message };
      const told = state.late ? { kind: 'timeout' } : thrown instanceof Usage ? { kind: 'usage' } : error(thrown);
      return { say: 'error', id: c.id, message: `${thrown.constructor.name}: ${thrown.message}`, ...told };
    } finally {
      clearTimeout(timer);
    }
  }

  /** `cancel-stream` and `close`: what they end says so first. */
  async function control(c, kept) {
    const open = c.do === 'close' ? [...kept.open.values()] : [kept.open.get(c.stream)];
    await Promise.all(open.filter(Boolean).map((stop) => stop(c.do === 'close' ? 'close' : 'cancel')));
    say({ say: 'result', id: c.id, value: null });
  }

  say({ say: 'hello', contract: 1, token: process.env.A2ASPEC_WRAPPER_TOKEN, ...hello });
  for await (const line of createInterface({ input: socket })) {
    const c = JSON.parse(line);
    if (!('id' in c)) continue;
    const kept = cases.get(c.case) ?? { open: new Map(), ...keep() };
    cases.set(c.case, kept);
    if (c.do === 'close') cases.delete(c.case);
    if (c.do === 'close' || c.do === 'cancel-stream') {
      control(c, kept);
      continue;
    }
    const state = { abort: new AbortController() };
    const done = run(c, kept, state).then(say);
    if (STREAMS.includes(c.do)) kept.open.set(c.id, (by) => { state.by = by; state.abort.abort(); return done; });
  }
  process.exit(0);
}
