// The kernel of Gainful in WebAssembly: kernel/web has its side of this interface.

const [QUESTION, QRELS, RUN] = [0, 1, 2];

// The kernel reads these by position, from files on disk.
function refuseColumnar(file) {
  const head = new TextDecoder("latin1").decode(file.bytes.subarray(0, 6));
  if (head.startsWith("PAR1") || head === "ARROW1") {
    const hint = "gainful convert writes text";
    throw new Error(`${file.name}: Parquet and Arrow files cannot be read here. Hint: ${hint}`);
  }
}

export class Kernel {
  constructor(module, exports) {
    this.module = module;
    this.exports = exports;
  }

  // Takes the bytes of gainful.wasm, or a response with them.
  static async load(source) {
    const module = await WebAssembly.compile(await source);
    const instance = await WebAssembly.instantiate(module, {});
    return new Kernel(module, instance.exports);
  }

  put(buffer, bytes) {
    const address = this.exports.reserve(buffer, bytes.length);
    new Uint8Array(this.exports.memory.buffer, address, bytes.length).set(bytes);
  }

  answer(question) {
    this.put(QUESTION, new TextEncoder().encode(JSON.stringify(question)));
    const length = this.exports.ask();
    const bytes = new Uint8Array(this.exports.memory.buffer, this.exports.answered(), length);
    return JSON.parse(new TextDecoder().decode(bytes));
  }

  // The two-sided randomization test of the differences of two runs, one per query. The answer has p,
  // the number of choices of signs, and whether these are all.
  test(differences) {
    return this.answer({ differences });
  }

  // Files are objects with a name and bytes. The answer has the values by query and their mean and,
  // for the query of the question, the account of its value. An error is thrown as text.
  async ask(question, qrels, run) {
    refuseColumnar(qrels);
    refuseColumnar(run);
    const asked = { ...question, qrels: qrels.name, run: run.name };
    try {
      this.put(QRELS, qrels.bytes);
      this.put(RUN, run.bytes);
      const answer = this.answer(asked);
      if ("error" in answer) {
        const where = ["query", "document"].filter((name) => answer[name] != null);
        const place = where.map((name) => `${name} ${answer[name]}: `).join("");
        throw new Error(place + answer.error);
      }
      return answer;
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        // Memory ran out; this instance cannot be used again.
        this.exports = (await WebAssembly.instantiate(this.module, {})).exports;
        throw new Error("the files are too large for this page");
      }
      throw error;
    }
  }
}

// The question for a measure such as nDCG under a convention of conventions.json.
export function question(convention, family, cutoff, query) {
  const { formula, values } = convention.measures[family];
  const name = cutoff === null ? family : `${family}@${cutoff}`;
  const measure = { name, formula, values: { ...values, cutoff } };
  return { convention: convention.policies, measure, query };
}
