// What the programs on both lines of the JavaScript SDK share: steps, and what each of them saw.

// Whoever has a token is let in to the extended card. The SDK sends it with each request, as a header or as metadata.
export const AUTHORIZED = { serviceParameters: { authorization: 'Bearer reference' } };

// Nobody listens there, and nothing that these programs do is posted.
export const WEBHOOK = 'http://127.0.0.1:9/hook';

// Longer than any step takes on a busy machine, in milliseconds.
const PATIENCE = 20_000;

// What the SDK calls errors otherwise than A2A does.
const CALLED_OTHERWISE = { RequestMalformedError: 'InvalidParamsError' };

/** The name by which a user tells an error from others: that of its class, without the transport. */
export function nameOfClass(error) {
  const name = error.constructor.name.replace(/^(JsonRpc|Rest|Grpc)/, '');
  return name === 'Error' ? `Error: ${error.message.split(/[:!]/)[0]}` : (CALLED_OTHERWISE[name] ?? name);
}

/** Does one step, and says what came of it in a line of JSON. */
export async function step(name, act, errorOf) {
  let timer;
  const silence = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE, 'silence');
  });
  const saw = await Promise.race([Promise.resolve().then(act).catch(errorOf), silence]);
  clearTimeout(timer);
  console.log(JSON.stringify({ step: name, saw }));
}

/** The states from the first to the last. */
export const fromTo = (states) => `${states[0]} to ${states.at(-1)}`;

/** Does all steps, in the order in which they are written, and ends: an open stream keeps the program from it. */
export async function all(steps, errorOf) {
  for (const [name, act] of Object.entries(steps)) await step(name, act, errorOf);
  process.exit(0);
}
