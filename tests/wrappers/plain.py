"""A small A2A client and the wrapper around it, for tests of `a2aspec client`: standard library only.

Deviations are named on the command line; each is one mistake that a client could make.
"""
import base64, http.client, json, os, socket, sys, threading, urllib.parse, uuid

WRONG = set(sys.argv[1:])
VERSION = "2.0" if "future-version" in WRONG else "1.0.0" if "patch-version" in WRONG else "v1.0" if "v-version" in WRONG else "1.0"
ERRORS = {-32001: "TaskNotFoundError", -32002: "TaskNotCancelableError", -32003: "PushNotificationNotSupportedError",
          -32004: "UnsupportedOperationError", -32005: "ContentTypeNotSupportedError", -32006: "InvalidAgentResponseError",
          -32007: "ExtendedAgentCardNotConfiguredError", -32008: "ExtensionSupportRequiredError", -32009: "VersionNotSupportedError"}
ROUTES = {"SendMessage": ("POST", "/message:send"), "SendStreamingMessage": ("POST", "/message:stream"),
          "GetTask": ("GET", "/tasks/{id}"), "ListTasks": ("GET", "/tasks"), "CancelTask": ("POST", "/tasks/{id}:cancel"),
          "SubscribeToTask": ("POST", "/tasks/{id}:subscribe"), "GetExtendedAgentCard": ("GET", "/extendedAgentCard"),
          "CreateTaskPushNotificationConfig": ("POST", "/tasks/{taskId}/pushNotificationConfigs"),
          "GetTaskPushNotificationConfig": ("GET", "/tasks/{taskId}/pushNotificationConfigs/{id}"),
          "ListTaskPushNotificationConfigs": ("GET", "/tasks/{taskId}/pushNotificationConfigs"),
          "DeleteTaskPushNotificationConfig": ("DELETE", "/tasks/{taskId}/pushNotificationConfigs/{id}")}
STREAMS = ("SendStreamingMessage", "SubscribeToTask")


class Failed(Exception):
    def __init__(self, kind, message, code=None, name=None):
        super().__init__(message)
        self.told = {"kind": kind, "message": message, "code": code, "name": name}


def ask(method, url, headers=(), body=None, limit=10):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=limit)
    target = parts.path + ("?" + parts.query if parts.query else "")
    try:
        connection.request(method, target, body, dict(headers))
        return connection, connection.getresponse()
    except OSError as error:
        raise Failed("transport", f"{type(error).__name__}: {error}")
    except http.client.HTTPException as error:
        raise Failed("transport", f"{type(error).__name__}: {error}")


class Resolver:
    """Keeps a card for as long as it may."""
    def __init__(self):
        self.known = {}

    def card(self, url, limit):
        if not url.endswith(".json"):
            url = url.rstrip("/") + "/.well-known/agent-card.json"
        known = self.known.get(url)
        if "fetches-anew" in WRONG:
            known = None
        if known and "keeps-for-ever" in WRONG:
            return known[0]
        stale = known and (any(word in known[2] for word in ("max-age=0", "no-store", "no-cache")) or known[3])
        if known and not stale:
            return known[0]
        headers = {"If-None-Match": known[1]} if known and known[1] and "never-conditional" not in WRONG else {}
        _, answer = ask("GET", url, headers, limit=limit)
        text = answer.read()
        if answer.status == 304 and known:
            return known[0]
        if answer.status != 200:
            raise Failed("transport", f"HTTP {answer.status} for the card", answer.status)
        try:
            card = json.loads(text)
        except ValueError as error:
            raise Failed("unreadable", str(error))
        # No card of the suite is fresh for longer than an hour.
        old = int(answer.getheader("Age") or 0) >= 3600 and "ignores-age" not in WRONG
        self.known[url] = (card, answer.getheader("ETag"), answer.getheader("Cache-Control") or "", old)
        return card


class Client:
    def __init__(self, card, extensions=(), bindings=None, auth=None, modes=None):
        self.card, self.extensions, self.rpc_id, self.auth, self.modes = card, list(extensions or ()), 0, auth or {}, modes
        if "known-schemes" in WRONG and any("a2aspecSecurityScheme" in scheme for scheme in card.get("securitySchemes", {}).values()):
            raise Failed("unreadable", "an unknown security scheme")
        offered = [i for i in card.get("supportedInterfaces", []) if (i.get("protocolBinding") in (bindings or ("JSONRPC", "HTTP+JSON"))
                   or "any-binding" in WRONG)
                   and (i.get("protocolVersion", "").split(".")[:2] == ["1", "0"] or "any-version" in WRONG)]
        if "reads-one-interface" in WRONG:
            offered = offered if offered and offered[0] is card["supportedInterfaces"][0] else []
        if not offered:
            raise Failed("refused", "no interface that is supported")
        required = [e["uri"] for e in card.get("capabilities", {}).get("extensions", []) if e.get("required")]
        if "ignores-required" not in WRONG and any(uri not in self.extensions for uri in required):
            raise Failed("refused", "an extension is required that nobody here understands")
        self.offered = offered[::-1] if "last-interface" in WRONG else offered
        if "prefers-jsonrpc" in WRONG or "prefers-rest" in WRONG:
            liked = "JSONRPC" if "prefers-jsonrpc" in WRONG else "HTTP+JSON"
            self.offered = sorted(offered, key=lambda i: i["protocolBinding"] != liked)

    def call(self, operation, params, events, stop, limit):
        capabilities = self.card.get("capabilities", {})
        if operation in STREAMS and not capabilities.get("streaming") and "streams-anyway" not in WRONG:
            raise Failed("refused", "the agent does not stream")
        if operation == "GetExtendedAgentCard" and not capabilities.get("extendedAgentCard") and "extended-anyway" not in WRONG:
            raise Failed("refused", "the agent has no extended card")
        if params.get("configuration", {}).get("taskPushNotificationConfig") and not capabilities.get("pushNotifications") and "webhook-anyway" not in WRONG:
            raise Failed("refused", "the agent posts no notifications")
        if "PushNotification" in operation and not capabilities.get("pushNotifications") and "pushes-anyway" not in WRONG:
            raise Failed("refused", "the agent posts no notifications")
        for place, interface in enumerate(self.offered):
            try:
                return self.over(interface, operation, dict(params), events, stop, limit)
            except Failed as failed:
                if "asks-again" in WRONG and failed.told["code"] in (429, 503):
                    return self.over(interface, operation, dict(params), events, stop, limit)
                if "sends-anew" in WRONG and failed.told["kind"] == "transport" and "messageId" in params.get("message", {}):
                    return self.over(interface, operation, {"message": {**params["message"], "messageId": "another"}}, events, stop, limit)
                if failed.told["kind"] != "transport" or place + 1 == len(self.offered) or "no-fallback" in WRONG or events:
                    raise

    def over(self, interface, operation, params, events, stop, limit):
        asked = dict(params)
        if "message" in params:
            message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", **params["message"]}
            if "own-context" in WRONG:
                message.setdefault("contextId", "made-up")
            if "made-up-task" in WRONG:
                message.setdefault("taskId", "made-up")
            for mistake, member in (("no-references", "referenceTaskIds"), ("no-metadata", "metadata"), ("forgets-task", "taskId")):
                if mistake in WRONG:
                    message.pop(member, None)
            if "messageId" not in params["message"]:
                if "no-message-id" in WRONG:
                    del message["messageId"]
                if "one-message-id" in WRONG:
                    message["messageId"] = "message-1"
            if "agent-role" in WRONG or "old-role" in WRONG:
                message["role"] = "ROLE_AGENT" if "agent-role" in WRONG else "user"
            if "message-kind" in WRONG:
                message["kind"] = "message"
            if "short-contexts" in WRONG and "contextId" in message:
                message["contextId"] = message["contextId"][:64]
            if self.modes and "no-output-modes" not in WRONG:
                params["configuration"] = {"acceptedOutputModes": self.modes, **params.get("configuration", {})}
            if "task-in-configuration" in WRONG and "configuration" in params:
                params["configuration"]["taskPushNotificationConfig"]["taskId"] = "made-up"
            params["message"] = message
        if operation == "CreateTaskPushNotificationConfig":
            if "token" not in params and "authentication" not in params:
                params["token"] = "token-1" if "one-push-token" in WRONG else str(uuid.uuid4())
            for mistake, member in (("no-push-token", "token"), ("no-push-authentication", "authentication")):
                if mistake in WRONG:
                    params.pop(member, None)
        if "drops-zeros" in WRONG:
            params = {name: value for name, value in params.items() if value != 0 or value is False}
        tenant = self.card["supportedInterfaces"][0].get("tenant") if "first-tenant" in WRONG else interface.get("tenant")
        if not tenant and "makes-tenant" in WRONG:
            params["tenant"] = "default"
        if tenant and "no-tenant" not in WRONG and not ("tenant-not-for-webhooks" in WRONG and "Push" in operation):
            params["tenant"] = tenant.upper() if "other-tenant" in WRONG else tenant
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        if not ("no-version" in WRONG or ("version-once" in WRONG and operation != "SendMessage")):
            headers["A2A-Version"] = VERSION
        if self.extensions and "no-extensions" not in WRONG and not ("extensions-once" in WRONG and operation != "SendMessage"):
            if "two-fields" in WRONG and len(self.extensions) > 1:
                headers["a2a-extensions"] = self.extensions[0]
            headers["A2A-Extensions"] = self.extensions[-1] if WRONG & {"one-extension", "two-fields"} else ", ".join(self.extensions)
        query, required = {}, self.card.get("securityRequirements", [])
        for scheme, declared in self.card.get("securitySchemes", {}).items():
            given = self.auth.get(scheme)
            if "first-requirement" in WRONG and required and scheme not in required[0]["schemes"]:
                continue
            if "one-scheme" in WRONG and scheme != next(iter(self.auth)):
                continue
            if not given or ("credentials-once" in WRONG and operation != "SendMessage"):
                continue
            if "token" in given:
                headers["Authorization"] = f"Bearer {given['token']}"
            elif "key" in given:
                key = declared["apiKeySecurityScheme"]
                if key["location"] == "query" and "keys-in-headers" not in WRONG:
                    query[key["name"]] = given["key"]
                    continue
                if key["location"] == "cookie" and "keys-in-headers" not in WRONG:
                    headers["Cookie"] = f"{key['name']}={given['key']}"
                    continue
                headers["X-API-Key" if "one-key-header" in WRONG else declared["apiKeySecurityScheme"]["name"]] = given["key"]
            elif "user" in given:
                pair = f"{given['user']}:{given['password']}"
                headers["Authorization"] = "Basic " + (pair if "plain-basic" in WRONG else base64.b64encode(pair.encode()).decode())
        url = interface["url"]
        if operation in STREAMS and "impatient" in WRONG:
            limit = 1.5
        if "own-url" in WRONG and url.count("/") > 6:
            url = "/".join(url.split("/")[:6])
        if interface["protocolBinding"] != "HTTP+JSON":
            self.rpc_id += 1
            call_id = None if "null-id" in WRONG else self.rpc_id + 0.5 if "fraction-id" in WRONG else self.rpc_id
            call_id = True if "true-id" in WRONG else call_id
            method = {"SendMessage": "message/send", "GetTask": "tasks/get"}.get(operation, operation) if "old-methods" in WRONG else operation
            envelope = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}
            if "no-jsonrpc" in WRONG:
                del envelope["jsonrpc"]
            if query:
                url += "?" + urllib.parse.urlencode(query)
            connection, answer = ask("POST", url, headers, json.dumps(envelope), limit)
        else:
            verb, path = ROUTES[operation]
            if "tenant" in params:
                path = "/" + urllib.parse.quote(params.pop("tenant"), safe="") + path
            for name in ("id", "taskId"):
                if "{%s}" % name in path:
                    value = params.pop(name)
                    path = path.replace("{%s}" % name, value if "raw-paths" in WRONG else urllib.parse.quote(value, safe=""))
            url = url.rstrip("/") + path
            body = json.dumps(params) if verb == "POST" else None
            if body is None and params:
                url += "?" + (urllib.parse.unquote(urllib.parse.urlencode(params)) if "raw-query" in WRONG else urllib.parse.urlencode(params))
            if query:
                url += ("&" if "?" in url else "?") + urllib.parse.urlencode(query)
            connection, answer = ask(verb, url, headers, body, limit)
            call_id = None
        rpc = interface["protocolBinding"] != "HTTP+JSON"
        if answer.status in (307, 308) and "follows-by-get" in WRONG:
            connection, answer = ask("GET", urllib.parse.urljoin(url, answer.getheader("Location")), headers, None, limit)
        if operation in STREAMS and answer.status == 204 and "reconnects" in WRONG and len(stop) < 2:
            stop.append("again")
            return self.over(interface, operation, asked, events, stop, limit)
        kind = answer.getheader("Content-Type") or ""
        if operation in STREAMS and (kind if "plain-media-types" in WRONG else kind.lower().split(";")[0]) == "text/event-stream":
            return self.stream(connection, answer, rpc, call_id, events, stop)
        if operation in STREAMS and "wants-a-stream" in WRONG:
            raise Failed("unreadable", "no stream")
        if "wants-a2a-json" in WRONG and operation == "GetTask" and not rpc and kind == "application/json":
            raise Failed("unreadable", kind)
        try:
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Failed("transport", str(error))
        return self.value(text, rpc, call_id, answer.status, operation)

    def value(self, text, rpc, call_id, status=200, operation=""):
        try:
            value = json.loads(text or b"{}", parse_constant=lambda _: None)
        except ValueError:
            if "page-is-result" in WRONG and status == 502:
                return {}
            raise Failed("transport" if status >= 400 else "unreadable", f"HTTP {status} without JSON", status)
        if not isinstance(value, dict):
            raise Failed("unreadable", "no object")
        if rpc and status >= 400 and "status-first" in WRONG:
            raise Failed("transport", f"HTTP {status}", status)
        if status >= 400 and "error" not in value and "wants-status-objects" in WRONG:
            raise Failed("unreadable", "no error object")
        if rpc and "three-members" in WRONG and set(value) - {"jsonrpc", "id", "result", "error"}:
            raise Failed("unreadable", "unknown members")
        error = value.get("error")
        if error and "result-first" in WRONG and "result" in value:
            return value["result"]
        if error and rpc and "id-on-errors" in WRONG and value.get("id") is None:
            raise Failed("unreadable", "an error without an id")
        if error:
            details = (error.get("data") if rpc else error.get("details")) or []
            if rpc and "wants-error-data" in WRONG and not details and operation == "CancelTask" and status == 200 and value.get("id"):
                raise Failed("unreadable", "an error without data")
            if rpc and "known-codes" in WRONG and -32099 <= error.get("code", 0) < -32009:
                raise Failed("unreadable", "an unknown code")
            if "one-detail" in WRONG and len(details) > 1:
                raise Failed("unreadable", "more than one detail")
            if "errors-are-results" in WRONG:
                return error
            reasons = [d.get("reason") for d in error.get("details") or error.get("data") or [] if isinstance(d, dict)]
            name = ERRORS.get(error.get("code")) if rpc else next(("".join(w.title() for w in r.split("_")) + "Error" for r in reasons if r), None)
            if name == "TaskNotFoundError" and "missing-is-nothing" in WRONG:
                return {}
            raise Failed("agent", str(error.get("message")), error.get("code"), None if "errors-alike" in WRONG else name)
        if status >= 400:
            raise Failed("transport", f"HTTP {status}", status)
        if rpc:
            if value.get("id") != call_id and "any-id" not in WRONG:
                raise Failed("unreadable", "an answer to another request")
            if "result" not in value:
                raise Failed("unreadable", "no response object")
            value = value["result"]
        self.check(value, operation)
        known = {"id", "contextId", "status", "artifacts", "history", "metadata"}
        if "strict-members" in WRONG and operation == "GetTask" and set(value) - known:
            raise Failed("unreadable", "unknown members")
        task = value.get("task") or (value if "status" in value else {})
        self.sent = getattr(self, "sent", False) or operation == "SendMessage"
        if "wants-history" in WRONG and operation == "GetTask" and self.sent and task and not task.get("history"):
            raise Failed("unreadable", "the message is not in the history")
        if "wants-status-message" in WRONG and (task.get("artifacts") or [{}])[0].get("artifactId") == "a1" and "message" not in task["status"] and operation == "SendMessage":
            raise Failed("unreadable", "the end has no message")
        if "uuid-contexts" in WRONG and len(task.get("contextId", "")) > 8 and " " in task["contextId"]:
            raise Failed("unreadable", "contextId is no UUID")
        if "no-nulls" in WRONG and operation == "GetTask" and None in value.values():
            raise Failed("unreadable", "null")
        return value

    def check(self, value, operation):
        """What a mistaken client refuses in a result."""
        if "wants-defaults" in WRONG and operation == "ListTasks" and "tasks" not in value:
            raise Failed("unreadable", "no tasks")
        if "no-empty-lists" in WRONG and operation == "GetTask" and [] in value.values():
            raise Failed("unreadable", "an empty list")
        if "wants-task" in WRONG and operation == "SendMessage" and value.get("message", {}).get("messageId") == "m1":
            raise Failed("unreadable", "no task")
        task = value.get("task") or value
        state, time = (task.get("status", {}).get(name, "") for name in ("state", "timestamp"))
        if "wants-milliseconds" in WRONG and time and "." not in time:
            raise Failed("unreadable", "a time without milliseconds")
        if "states-are-errors" in WRONG and operation == "SendMessage" and state in ("TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED"):
            raise Failed("agent", state)
        data = [part["data"] for artifact in task.get("artifacts") or [] for part in artifact["parts"] if "data" in part]
        if "wants-data-objects" in WRONG and not all(isinstance(one, dict) for one in data):
            raise Failed("unreadable", "data that are no object")
        if "small-integers" in WRONG and "9007199254740993" in str(data):
            raise Failed("unreadable", "a large integer")

    def stream(self, connection, answer, rpc, call_id, events, stop):
        stop.append(lambda: connection.sock and connection.sock.shutdown(socket.SHUT_RDWR))
        block, rest, first, self.state = [], b"", True, ""
        try:
            while True:
                piece = answer.read1(65536)
                if not piece:
                    break
                rest += piece.decode(errors="replace").encode() if "decodes-pieces" in WRONG else piece
                if first and len(rest) >= 3:
                    first = False
                    if rest.startswith(b"\xef\xbb\xbf") and "no-bom" not in WRONG:
                        rest = rest[3:]
                while True:
                    cut = [(rest.find(e), len(e)) for e in ((b"\n",) if "lf-only" in WRONG else (b"\r\n", b"\n", b"\r")) if rest.find(e) >= 0]
                    if not cut or (min(cut)[0] == len(rest) - 1 and rest.endswith(b"\r")):
                        break
                    at = min(c[0] for c in cut)
                    size = 2 if rest[at:at + 2] == b"\r\n" and "crlf-is-two" not in WRONG else 1
                    line, rest = rest[:at], rest[at + size:]
                    if line:
                        block.append(line)
                    elif block:
                        self.event(block, rpc, call_id, events)
                        block = []
                        if self.state == "TASK_STATE_AUTH_REQUIRED" and "leaves-at-auth" in WRONG:
                            return None
                if "piece-is-event" in WRONG and not rest.endswith(b"\r"):
                    block, rest = [], b""
            if "takes-unfinished" in WRONG and rest:
                block.append(rest)
            if (rest == b"\r" or "takes-unfinished" in WRONG) and block:
                self.event(block, rpc, call_id, events)
            if self.state == "TASK_STATE_INPUT_REQUIRED" and "wants-the-end" in WRONG:
                raise Failed("transport", "the stream ended before the task")
        except Failed as failed:
            if failed.told["kind"] == "agent" and "error-is-end" in WRONG:
                return None
            raise
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            if stop and stop[0] == "left":
                return None
            if "cut-is-end" in WRONG:
                return None
            raise Failed("transport", f"the stream was cut: {error}")
        finally:
            connection.close()

    def event(self, block, rpc, call_id, events):
        data = []
        if "wants-data" in WRONG and not block[0].startswith(b"data"):
            if not block[0].startswith(b":"):
                raise Failed("unreadable", "an event without data")
        for line in block:
            name, _, value = line.partition(b":")
            if line.startswith(b":") and "deaf-to-comments" in WRONG:
                raise Failed("unreadable", "a comment")
            if name == b"data":
                if "wants-space" in WRONG and not value.startswith(b" "):
                    continue
                data.append(value[1:] if value.startswith(b" ") else value)
        if data:
            value = self.value(data[0] if "one-data-line" in WRONG else b"\n".join(data), rpc, call_id)
            kind = next((kind for kind in ("task", "message", "statusUpdate", "artifactUpdate") if kind in value), None)
            if kind is None and "known-events" in WRONG:
                raise Failed("unreadable", "an unknown event")
            if kind == "message" and "wants-task-first" in WRONG:
                raise Failed("unreadable", "no task")
            self.state = value.get(kind, {}).get("status", {}).get("state", self.state)
            if kind == "task" and self.state == "TASK_STATE_COMPLETED" and "drops-finished" in WRONG:
                return
            if kind == "artifactUpdate" and value[kind].get("append") and "drops-appended" in WRONG:
                return
            events(value)


class Wrapper:
    def __init__(self):
        address, self.cases, self.lock, self.streams = os.environ["A2ASPEC_WRAPPER"], {}, threading.Lock(), {}
        host, _, port = address.removeprefix("tcp:").rpartition(":")
        self.socket = socket.create_connection((host.strip("[]"), int(port)))
        lacks = {word.removeprefix("lacks-") for word in WRONG if word.startswith("lacks-")}
        does = ["resolve", "client", "close", "cancel-stream", "card", "walk", "follow", *ROUTES]
        self.say({"say": "hello", "contract": 2 if "contract-2" in WRONG else 1,
                  "token": "?" if "wrong-token" in WRONG else os.environ["A2ASPEC_WRAPPER_TOKEN"],
                  "sdk": {"name": "plain", "version": "1"}, "does": [word for word in does if word not in lacks],
                  "bindings": ["JSONRPC", "HTTP+JSON"], "versions": ["1.0"]})

    def say(self, value):
        with self.lock:
            self.socket.sendall(json.dumps(value).encode() + b"\n")

    def run(self):
        for line in self.socket.makefile("rb"):
            command = json.loads(line)
            if "id" in command:
                threading.Thread(target=self.obey, args=(command,), daemon=True).start()

    def obey(self, command):
        number = command["id"]
        final = lambda **members: self.say({"id": number, **members})
        if "empty" in WRONG:
            return final(say="result", value={})
        if "unsupported" in WRONG and command["do"] not in ("resolve", "client", "close", "SendMessage"):
            return final(say="unsupported", why="it is not there")
        try:
            value = self.do(command["do"], command)
            final(**(value if isinstance(value, dict) and "say" in value else {"say": "result", "value": value}))
        except Failed as failed:
            final(say="error", **failed.told)
        except Exception as error:  # The wrapper itself is wrong.
            final(say="error", kind="other", message=repr(error))
        its_own = command["do"] == "CancelTask" and command["with"]["id"] == "t1"  # The one of a single case.
        if "twice" in WRONG and its_own:
            final(say="result", value={})
        if "garbage" in WRONG and its_own:
            with self.lock:
                self.socket.sendall(b"?\n")

    def do(self, word, command):
        case = self.cases.setdefault(command["case"], {"resolver": Resolver(), "cards": {}, "clients": {}, "stops": []})
        limit = command["limit"] / 1000
        if word == "close":
            for stop in case["stops"]:
                self.leave(stop)
            self.cases.pop(command["case"], None)
            return None
        if word == "resolve":
            card = case["resolver"].card(command["url"], limit)
            case["cards"][command["as"]] = card
            return card
        if word == "client":
            card = case["cards"][command["card"]] if "card" in command else case["resolver"].card(command["url"], limit)
            options = (command.get(name) for name in ("extensions", "bindings", "auth", "output-modes"))
            client = case["clients"][command["as"]] = Client(card, *options)
            chosen = client.offered[0]
            return {"binding": chosen["protocolBinding"], "url": chosen["url"], "version": chosen["protocolVersion"]}
        if word == "cancel-stream":
            stop = self.streams.get(command["stream"], [])
            self.leave(stop)
            return None
        if command["client"] not in case["clients"]:
            raise Failed("usage", "no such client")
        client = case["clients"][command["client"]]
        if word == "card":
            return client.card
        once = lambda operation, params: client.call(operation, params, None, [], limit)
        if word == "walk":
            params, tasks = dict(command["with"]), []
            for _ in range(command.get("most", 50)):
                page = once("ListTasks", params)
                tasks += page.get("tasks", [])
                token = page.get("nextPageToken")
                if (not token and "walks-on" not in WRONG) or ("short-is-last" in WRONG and len(page.get("tasks", [])) < params["pageSize"]):
                    break
                if "forgets-filters" in WRONG:
                    params = {"pageSize": params["pageSize"]}
                token = (token or "").replace("+", " ") if "plus-is-space" in WRONG else token
                params["pageToken"] = (token or "")[:100] if "cuts-tokens" in WRONG else token or ""
            return {"tasks": tasks}
        if word == "follow":
            for _ in range(2 if "subscribes-twice" in WRONG else 0):
                try:
                    client.call("SubscribeToTask", command["with"], lambda _: None, [], limit)
                except Failed:
                    pass
            for _ in range(50):
                task = once("GetTask", {"id": command["with"]["id"]})
                state = task["status"]["state"]
                if "wants-last-word" in WRONG and "message" not in task["status"]:
                    continue
                if "wants-past" in WRONG and not task.get("history"):
                    continue
                if state == "TASK_STATE_AUTH_REQUIRED" and "ends-at-auth" not in WRONG:
                    continue
                if state not in ("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"):
                    return task
            raise Failed("timeout", "it never ends")
        if word in STREAMS:
            stop = self.streams[command["id"]] = []
            case["stops"].append(stop)
            tell = lambda value: self.say({"say": "event", "id": command["id"], "value": value})
            result = client.call(word, command["with"], tell, stop, limit)
            if result is not None:
                tell(result)
            return {"say": "end", "by": "cancel" if "left" in stop else "agent"}
        if "dies" in WRONG and word == "CancelTask" and command["with"]["id"] == "t1":
            os._exit(7)
        value = once(word, command["with"])
        while "waits-for-the-end" in WRONG and word == "SendMessage" and value.get("task", {}).get("status", {}).get("state") == "TASK_STATE_WORKING":
            value = {"task": once("GetTask", {"id": value["task"]["id"]})}
        if word == "GetExtendedAgentCard" and "keeps-public-card" not in WRONG:
            client.card = value
        return value

    @staticmethod
    def leave(stop):
        if "keeps-streams" in WRONG:
            return
        halts = [halt for halt in stop if callable(halt)]
        stop.insert(0, "left")
        for halt in halts:
            try:
                halt()
            except OSError:
                pass


if "never-connects" in WRONG:
    threading.Event().wait()
if "writes" in WRONG:
    print("out " * 40_000)
    print("err", file=sys.stderr)
Wrapper().run()
