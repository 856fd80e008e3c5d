#!/bin/sh
# A session of the bridge with curl alone: opens it, lists the tools, reads the lights, switches one on, ends it.
#
#   ./curl.sh [URL [LIGHT]]
#
# URL is http://127.0.0.1:3003 and LIGHT is light.salon_lamp unless told otherwise. A hub that asks for a key takes it
# from ZAGUAN_KEY.
set -eu

url=${1:-http://127.0.0.1:3003}
light=${2:-light.salon_lamp}

# ask METHOD PATH [CURL ARGUMENTS…]: prints the answer, and ends the script where the bridge refuses.
ask() {
  method=$1
  path=$2
  shift 2
  if [ -n "${ZAGUAN_KEY:-}" ]; then
    set -- -H "Authorization: Bearer $ZAGUAN_KEY" "$@"
  fi
  curl --silent --show-error --fail-with-body -X "$method" "$url$path" "$@"
  echo
}

post() {
  path=$1
  body=$2
  shift 2
  ask POST "$path" -H 'Content-Type: application/json' -d "$body" "$@"
}

opened=$(post /mcp/initialize '{
  "protocolVersion": "2024-11-05",
  "capabilities": {},
  "clientInfo": {"name": "curl", "version": "1.0"}
}')
echo "$opened"
session=$(printf '%s' "$opened" | sed -n 's/.*"session_id" *: *"\([^"]*\)".*/\1/p')

post /mcp/tools/list '{"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}' \
  -H "X-Session-ID: $session" -H 'X-Cache-Control: max-age=3600'

post /mcp/tools/call '{
  "jsonrpc": "2.0", "id": 3, "method": "tools/call",
  "params": {"name": "get_entities", "arguments": {"domain": "light"}}
}' -H "X-Session-ID: $session"

post /mcp/tools/call '{
  "jsonrpc": "2.0", "id": 4, "method": "tools/call",
  "params": {
    "name": "call_service",
    "arguments": {"domain": "light", "service": "turn_on", "entity_id": "'"$light"'"}
  }
}' -H "X-Session-ID: $session" -H 'X-Priority: HIGH' -H 'X-Timeout: 10' -H "X-Request-ID: curl-$$"

ask DELETE /mcp/session -H "X-Session-ID: $session"
