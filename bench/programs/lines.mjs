/** Cuts what comes through a pipe into lines. A line that comes in many pieces is put together once, at its end. */
export function eachLine(stream, onLine, onChunkEnd = () => {}) {
  let pieces = [];
  stream.setEncoding("latin1");
  stream.on("data", (chunk) => {
    let from = 0;
    let end = chunk.indexOf("\n");
    while (end >= 0) {
      const rest = chunk.slice(from, end);
      if (pieces.length === 0) onLine(rest);
      else {
        pieces.push(rest);
        const line = pieces.join("");
        pieces = [];
        onLine(line);
      }
      from = end + 1;
      end = chunk.indexOf("\n", from);
    }
    if (from < chunk.length) pieces.push(chunk.slice(from));
    onChunkEnd();
  });
}
