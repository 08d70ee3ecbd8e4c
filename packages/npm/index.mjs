export { startReferenceAgent } from "./lib/agent.mjs";
export { conformance } from "./lib/conformance.mjs";
export { program } from "./lib/locate.mjs";
