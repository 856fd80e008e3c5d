// Writes without end and without newline.
const chunk = "x".repeat(65_536);
const flood = () => {
  while (process.stdout.write(chunk));
  process.stdout.once("drain", flood);
};
flood();
