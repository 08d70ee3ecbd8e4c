// Passes requests on to TARGET, as the documentation of the package shows it: node proxy.cjs TARGET. Prints its port.
const http = require("node:http");
const httpProxy = require("http-proxy");

const proxy = httpProxy.createProxyServer({ target: process.argv[2] });
proxy.on("error", (error, request, response) => {
  response.writeHead(502, { "content-type": "text/plain" });
  response.end("bad gateway");
});
const server = http.createServer((request, response) => proxy.web(request, response));
server.listen(Number(process.argv[3] ?? 0), "127.0.0.1", () => console.log(`port ${server.address().port}`));
