"""A user's program for the original simulator: starts the command given as arguments, and checks each answer.

It reads and writes as such programs do (text pipes, one line per message, `json.dumps` with its spaces and escapes).
It prints one line and ends with 0 if the command behaved, or says what was wrong and ends with 1.
"""

import json
import subprocess
import sys

TOOLS = [
    "get_presence",
    "get_alarm_status",
    "list_lights_on",
    "set_light_state",
    "set_alarm_state",
    "get_all_states",
]
LIGHTS = ["salon", "cocina", "dormitorio", "bano", "garage"]


class Simulator:
    def __init__(self, command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")
        self.last_id = 0

    def read(self):
        line = self.process.stdout.readline()
        check(line.endswith("\n"), "a whole line", line)
        return json.loads(line)

    def call(self, tool, args):
        self.last_id += 1
        self.write({"type": "call", "id": self.last_id, "tool": tool, "args": args})
        answer = self.read()
        check(answer["id"] == self.last_id, "the id of the call", answer)
        check(answer["type"] == ("result" if answer["ok"] else "error"), "a type that fits `ok`", answer)
        return answer

    def result(self, tool, args):
        answer = self.call(tool, args)
        check(answer["ok"] is True, "ok", answer)
        return answer["result"]

    def error(self, tool, args):
        answer = self.call(tool, args)
        check(answer["ok"] is False, "not ok", answer)
        return answer["error"]

    def write(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


def check(good, expected, actual):
    if not good:
        raise SystemExit("expected %s, got %r" % (expected, actual))


def equal(actual, expected):
    check(actual == expected, repr(expected), actual)


def use(home):
    ready = home.read()
    equal(ready["type"], "ready")
    equal(ready["version"], "0.1.0")
    equal([tool["name"] for tool in ready["tools"]], TOOLS)
    equal(home.result("set_light_state", {"name": "salon", "on": True}), {"ok": True})
    equal(home.result("set_alarm_state", {"armed": True}), {"ok": True})
    equal(home.result("get_alarm_status", {}), {"armed": True})
    equal(home.result("list_lights_on", {}), {"on": ["salon"]})
    equal(home.result("get_presence", {}), {"present": False, "known_people": []})
    states = home.result("get_all_states", {})
    equal(list(states["lights"]), LIGHTS)
    equal(states["lights"]["salon"], True)
    equal(home.error("set_light_state", {"name": "baño", "on": True}), "Luz 'baño' no encontrada")
    equal(home.error("set_light_state", {}), "Faltan parámetros requeridos: name, on")
    equal(home.error("abrir", {}), "Tool 'abrir' no encontrada")


def leave(home):
    home.write({"type": "quit"})
    equal(home.process.wait(timeout=30), 0)
    equal(home.process.stdout.read(), "")
    equal(home.process.stderr.read(), "")


if __name__ == "__main__":
    simulator = Simulator(sys.argv[1:])
    try:
        use(simulator)
        leave(simulator)
    finally:
        simulator.process.kill()
    print("all answers as expected")
