/** A running reference agent. */
export interface ReferenceAgent {
  /** Its URL, without a slash at its end. The card is at `/.well-known/agent-card.json` below it. */
  readonly url: string;
  /** Stops the agent. A second call has no effect. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How a reference agent is started. */
export interface ReferenceAgentOptions {
  /** Serve only this version of the protocol, such as `"1.0"`. By default the agent serves all of them. */
  version?: string;
  /** Violate these requirements; `a2aspec agent --list-faults` lists them. */
  fault?: string | readonly string[];
  /** Further arguments of `a2aspec agent`, such as `["--without", "streaming"]`. */
  arguments?: readonly string[];
}

/** Starts a correct A2A agent on a free port of this machine, for tests of clients. */
export function startReferenceAgent(options?: ReferenceAgentOptions): Promise<ReferenceAgent>;

/** What the context of a test has in node:test and in vitest. */
export interface Context {
  skip(reason?: string): void;
  diagnostic?(text: string): void;
}

/** The function that registers a test: `test` of node:test or of vitest. */
export type Test = (name: string, run: (context: any) => Promise<void>) => unknown;

/** What is checked. */
export interface ConformanceOptions {
  /** The URL of the agent, which must be running. */
  url: string;
  /** Known failures (`a2aspec check --write-baseline`); these tests are skipped. */
  baseline?: string;
  /** Lowest level that fails a test. By default `"must"`. */
  failOn?: "must" | "should";
  /** Further arguments of `a2aspec check`, such as `["--only", "stream"]`. */
  arguments?: readonly string[];
}

/** Registers a test for each case over each interface of an agent. Await it at the top of a test file. */
export function conformance(test: Test, options: ConformanceOptions): Promise<void>;

/** The path of the program. */
export function program(): string;
