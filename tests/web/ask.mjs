// Answers questions in JSON, one per line, as the page in the browser does.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [script, wasm, table] = process.argv.slice(2);
const { Kernel, question } = await import(pathToFileURL(script));
const kernel = await Kernel.load(readFileSync(wasm));
const conventions = JSON.parse(readFileSync(table, "utf8"));
const open = (name) => ({ name, bytes: readFileSync(name) });

for await (const line of createInterface({ input: process.stdin })) {
  const { qrels, run, convention, family, cutoff, query, differences } = JSON.parse(line);
  if (differences) {
    console.log(JSON.stringify(kernel.test(differences)));
    continue;
  }
  const asked = question(conventions[convention], family, cutoff, query);
  let answer;
  try {
    answer = await kernel.ask(asked, open(qrels), open(run));
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
}
