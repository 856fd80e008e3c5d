"""An infrared module at the far end of a real (pseudo-)terminal line.

It speaks the frame protocol and nothing else, written from the module's manual and not from our code. Commands come as
lines on standard input, what happens goes as lines to standard output:

  mode normal | silent | wrong-checksum | busy | garbage-first | slow | deaf | no-code | wrong-code-checksum
  press HEX     a key of a remote control: reported if it is learning
  press-glued HEX   the next "enter learning" is answered and followed by that code in one write
  raw HEX       bytes, whatever they are
  unplug        the line is hung up
"""

import os
import select
import sys
import time

START, END = 0x68, 0x16
ACK, GET_BAUD, GET_ADDRESS = 0x01, 0x04, 0x06
ENTER, EXIT, EXTERNAL = 0x20, 0x21, 0x22
ADDRESS = 0x00
GARBAGE = bytes.fromhex("00 16 68 ff ff 68 08 00 99 68 02 00")


def tell(*words):
    print(*words, flush=True)


def frame(afn, data=b"", wrong=0):
    body = bytes([ADDRESS, afn]) + data
    length = len(body) + 5
    return bytes([START, length & 0xFF, length >> 8]) + body + bytes([(sum(body) + wrong) & 0xFF, END])


class Module:
    def __init__(self):
        self.master, self.slave = os.openpty()
        self.mode = "normal"
        self.learning = False
        self.glued = None
        self.received = b""
        tell("port", os.ttyname(self.slave))

    def write(self, data):
        if self.mode == "garbage-first":
            data = GARBAGE + data
        for part in [bytes([byte]) for byte in data] if self.mode == "slow" else [data]:
            os.write(self.master, part)
            time.sleep(0.003 if self.mode == "slow" else 0)
        tell("said", data.hex(" "))

    def answer(self, afn, data):
        if self.mode == "silent":
            return
        self.write(frame(afn, data, wrong=1 if self.mode == "wrong-checksum" else 0))

    def acknowledge(self):
        self.answer(ACK, bytes([1 if self.mode == "busy" else 0]))

    def handle(self, afn, data):
        if afn == GET_BAUD:
            self.answer(GET_BAUD, bytes([4]))
        elif afn == GET_ADDRESS:
            self.answer(GET_ADDRESS, bytes([ADDRESS]))
        elif afn == ENTER and self.glued is not None:
            self.write(frame(ACK, b"\0") + frame(EXTERNAL, self.glued))
            self.glued = None
        else:
            if afn in (ENTER, EXIT):
                self.learning = afn == ENTER and self.mode != "busy"
            self.acknowledge()

    def press(self, code):
        if not self.learning:
            tell("not learning")
            return
        self.learning = False
        wrong = 1 if self.mode in ("wrong-checksum", "wrong-code-checksum") else 0
        self.write(frame(EXTERNAL, b"" if self.mode == "no-code" else code, wrong))

    def hear(self, data):
        """The host's frames are short and never split for long: anything that is no frame is told as such."""
        self.received += data
        while len(self.received) >= 3:
            length = self.received[1] | self.received[2] << 8
            if self.received[0] != START or length < 7:
                tell("noise", self.received.hex())
                self.received = b""
                return
            if len(self.received) < length:
                return
            whole, self.received = self.received[:length], self.received[length:]
            if whole[-1] != END or whole[-2] != sum(whole[3:-2]) & 0xFF or whole[3] not in (0xFF, ADDRESS):
                tell("noise", whole.hex())
                continue
            tell("got", whole.hex(" "))
            self.handle(whole[4], whole[5:-2])

    def obey(self, line):
        command, _, rest = line.strip().partition(" ")
        if command == "mode":
            self.mode = rest
        elif command == "press":
            self.press(bytes.fromhex(rest))
        elif command == "press-glued":
            self.glued = bytes.fromhex(rest)
        elif command == "raw":
            os.write(self.master, bytes.fromhex(rest))
        elif command == "unplug":
            os.close(self.slave)
            os.close(self.master)
            self.master = None
        tell("done")


def main():
    module = Module()
    while True:
        files = [sys.stdin] + ([module.master] if module.master is not None and module.mode != "deaf" else [])
        ready, _, _ = select.select(files, [], [])
        if sys.stdin in ready:
            line = sys.stdin.readline()
            if line == "":
                return
            module.obey(line)
        elif module.master in ready:
            module.hear(os.read(module.master, 4096))


main()
