#!/bin/bash
# A wrapper without an SDK and without a JSON library: the agent is asked by curl over HTTP+JSON, and JSON is read by awk.
#
#     a2aspec client -- clients/shell/wrapper.sh
#
# bash is here for the connection (/dev/tcp) and for the names of a case. One command after the other: `"jobs":1`.
set -u

# The raw value of a member of the object on standard input; nothing where there is none.
member() {
    awk -v name="$1" '
        { text = text (NR > 1 ? " " : "") $0 }
        END {
            depth = 0; key = ""; start = 0; quoted = 0
            for (at = 1; at <= length(text); at++) {
                letter = substr(text, at, 1)
                if (quoted) {
                    if (letter == "\\") at++
                    else if (letter == "\"") { quoted = 0; if (depth == 1 && !start) key = substr(text, from, at - from) }
                } else if (letter == "\"") { quoted = 1; from = at + 1 }
                else if (letter == ":" && depth == 1 && !start) start = at + 1
                else if (letter == "{" || letter == "[") depth++
                else if (letter == "}" || letter == "]" || (letter == "," && depth == 1)) {
                    if (depth == 1 && start && key == name) {
                        value = substr(text, start, at - start); gsub(/^[ \t\r]+|[ \t\r]+$/, "", value); print value; exit
                    }
                    if (letter == ",") { start = 0; key = "" } else depth--
                }
            }
        }'
}

# A string without its quotes. Ids and URLs with escapes are beyond this wrapper.
plain() { member "$1" | sed 's/^"//; s/"$//'; }

encoded() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }

say() { printf '%s\n' "$1" >&3; }

# Asks, and says what came: ask METHOD URL [BODY]
ask() {
    answer=$(curl --silent --show-error --globoff --max-time "$seconds" --request "$1" --header 'A2A-Version: 1.0' --header 'Accept: application/a2a+json, application/json' \
        ${3:+--header 'Content-Type: application/a2a+json' --data-binary "$3"} --write-out '\n%{http_code}' "$2" 2>&1)
    failed=$?
    status=$(printf '%s' "$answer" | tail -n 1)
    body=$(printf '%s' "$answer" | sed '$d' | tr '\n\r' '  ')
    if [ $failed = 28 ]; then
        say "{\"say\":\"error\",\"id\":$id,\"kind\":\"timeout\",\"message\":\"the limit was over\"}"
        return 1
    elif [ $failed != 0 ]; then
        say "{\"say\":\"error\",\"id\":$id,\"kind\":\"transport\",\"message\":\"curl ended with $failed\"}"
        return 1
    elif [ "$status" -ge 300 ]; then
        # TASK_NOT_FOUND is TaskNotFoundError.
        name=$(printf '%s' "$body" | sed -n 's/.*"reason" *: *"\([A-Z_]*\)".*/\1/p' | awk -F_ '{ for (i = 1; i <= NF; i++) printf "%s%s", substr($i, 1, 1), tolower(substr($i, 2)); print "Error" }')
        kind=transport
        [ -n "$(printf '%s' "$body" | member error)" ] && kind=agent
        say "{\"say\":\"error\",\"id\":$id,\"kind\":\"$kind\",\"code\":$status,\"name\":${name:+\"}${name:-null}${name:+\"},\"message\":\"HTTP $status\"}"
        return 1
    elif ! printf '%s' "$body" | awk '{ sub(/^[ \t]+/, ""); sub(/[ \t]+$/, ""); exit !(/^\{/ && /\}$/) }'; then
        say "{\"say\":\"error\",\"id\":$id,\"kind\":\"unreadable\",\"message\":\"no JSON object\"}"
        return 1
    fi
}

result() { say "{\"say\":\"result\",\"id\":$id,\"value\":$1}"; }

# A name of a case, as the name of a variable.
slot() { printf 'kept_%s' "$(printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n')"; }

resolve() {
    url=$(printf '%s' "$line" | plain url)
    case $url in *.json) ;; *) url=${url%/}/.well-known/agent-card.json ;; esac
    ask GET "$url"
}

# The URL of the first interface for HTTP+JSON of 1.0, by the order of the card.
choose() {
    printf '%s' "$1" | member supportedInterfaces | sed 's/^\[//; s/\]$//; s/} *, *{/}\n{/g' | while read -r one; do
        version=$(printf '%s' "$one" | plain protocolVersion)
        if [ "$(printf '%s' "$one" | plain protocolBinding)" = 'HTTP+JSON' ] && { [ "$version" = 1.0 ] || [ "${version#1.0.}" != "$version" ]; }; then
            tenant=$(printf '%s' "$one" | plain tenant)
            url=$(printf '%s' "$one" | plain url)
            printf '%s%s' "${url%/}" "${tenant:+/$(encoded "$tenant")}"
            break
        fi
    done
}

perform() {
    case $do in
    resolve)
        resolve || return
        printf -v "$(slot "$case/$(printf '%s' "$line" | plain as)")" %s "$body"
        result "$body" ;;
    client)
        for option in auth trust keys extensions output-modes; do
            if [ -n "$(printf '%s' "$line" | member $option)" ]; then
                say "{\"say\":\"unsupported\",\"id\":$id,\"why\":\"this wrapper has no option $option\"}"
                return
            fi
        done
        case $(printf '%s' "$line" | member bindings) in
        '' | null | *'"HTTP+JSON"'*) ;;
        *) say "{\"say\":\"error\",\"id\":$id,\"kind\":\"refused\",\"message\":\"only HTTP+JSON\"}"; return ;;
        esac
        card=$(slot "$case/$(printf '%s' "$line" | plain card)")
        card=${!card:-}
        if [ -z "$card" ]; then
            resolve || return
            card=$body
        fi
        url=$(choose "$card")
        if [ -z "$url" ]; then
            say "{\"say\":\"error\",\"id\":$id,\"kind\":\"refused\",\"message\":\"no interface for HTTP+JSON 1.0\"}"
            return
        fi
        printf -v "$(slot "$case/$(printf '%s' "$line" | plain as)")" %s "$url"
        result "{\"binding\":\"HTTP+JSON\",\"url\":\"$url\",\"version\":\"1.0\"}" ;;
    SendMessage | GetTask | CancelTask)
        url=$(slot "$case/$(printf '%s' "$line" | plain client)")
        url=${!url:-}
        if [ -z "$url" ]; then
            say "{\"say\":\"error\",\"id\":$id,\"kind\":\"usage\",\"message\":\"no such client\"}"
            return
        fi
        with=$(printf '%s' "$line" | member with)
        message=$(printf '%s' "$with" | member message)
        task=$(encoded "$(printf '%s' "$with" | plain id)")
        case $do in
        SendMessage)
            [ -n "$(printf '%s' "$message" | member role)" ] || message="{\"role\":\"ROLE_USER\",${message#\{}"
            [ -n "$(printf '%s' "$message" | member messageId)" ] || message="{\"messageId\":\"$(cat /proc/sys/kernel/random/uuid)\",${message#\{}"
            configuration=$(printf '%s' "$with" | member configuration)
            metadata=$(printf '%s' "$with" | member metadata)
            ask POST "$url/message:send" "{\"message\":$message${configuration:+,\"configuration\":$configuration}${metadata:+,\"metadata\":$metadata}}" ;;
        GetTask)
            length=$(printf '%s' "$with" | member historyLength)
            ask GET "$url/tasks/$task${length:+?historyLength=$length}" ;;
        CancelTask)
            ask POST "$url/tasks/$task:cancel" "{}" ;;
        esac && result "$body" ;;
    close)
        unset $(compgen -v "$(slot "$case/")")
        result null ;;
    *) say "{\"say\":\"unsupported\",\"id\":$id,\"why\":\"this wrapper has no $do\"}" ;;
    esac
}

place=${A2ASPEC_WRAPPER#tcp:}
host=${place%:*}
exec 3<>"/dev/tcp/$(printf '%s' "$host" | tr -d '[]')/${place##*:}" || exit 1
say "{\"say\":\"hello\",\"contract\":1,\"token\":\"$A2ASPEC_WRAPPER_TOKEN\",\"sdk\":{\"name\":\"curl\",\"version\":\"$(curl --version | sed -n '1s/curl \([^ ]*\).*/\1/p')\"},\"does\":[\"resolve\",\"client\",\"close\",\"SendMessage\",\"GetTask\",\"CancelTask\"],\"bindings\":[\"HTTP+JSON\"],\"versions\":[\"1.0\"],\"jobs\":1}"
IFS= read -r line <&3
[ "$(printf '%s' "$line" | plain do)" = welcome ] || exit 1
while IFS= read -r line <&3; do
    id=$(printf '%s' "$line" | member id)
    case=$(printf '%s' "$line" | plain case)
    do=$(printf '%s' "$line" | plain do)
    seconds=$(($(printf '%s' "$line" | member limit) / 1000 + 1))
    perform
done
