// Read the data of the page: facts are parsed immediately, blocks are unpacked on demand.
const facts = JSON.parse(document.getElementById("facts").textContent);

const unpacked = new Map();

// The visible letters except `"`, `&` and `<`, two for 13 bits.
const LETTERS = new Map(Array.from({ length: 94 }, (_, at) => at + 33)
  .filter((code) => !'"&<'.includes(String.fromCharCode(code))).map((code, at) => [code, at]));

/** Decode the letters of a block, and decompress them. */
async function bytesOf(name) {
  const holder = document.getElementById(`block-${name}`);
  if (!holder) return null;
  const text = holder.textContent;
  const digits = new Uint8Array(127);
  for (const [code, digit] of LETTERS) digits[code] = digit;
  // A letter more means that the last byte is none.
  const end = text.length - text.length % 2;
  const packed = new Uint8Array(((end / 2) * 13 >> 3) - text.length % 2);
  let [bits, count, length] = [0, 0, 0];
  for (let at = 0; at < end; at += 2) {
    bits = (bits << 13) | (digits[text.charCodeAt(at)] * LETTERS.size + digits[text.charCodeAt(at + 1)]);
    for (count += 13; count >= 8; packed[length++] = bits >> count) count -= 8;
    bits &= (1 << count) - 1;
  }
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function once(name, read) {
  if (!unpacked.has(name)) unpacked.set(name, bytesOf(name).then((bytes) => bytes && read(bytes)));
  return unpacked.get(name);
}

const textIn = (bytes) => new TextDecoder().decode(bytes);
const json = (bytes) => JSON.parse(textIn(bytes));
const block = (name) => once(name, json);

/** Return the header and the columns of whole numbers of a block. */
function columnsIn(bytes) {
  const size = new DataView(bytes).getUint32(0, true);
  const header = json(new Uint8Array(bytes, 4, size));
  let start = 4 + size;
  for (const [name, length, width] of header.columns) {
    // Numbers are stored by byte: the lowest byte of each, then the second, and so on.
    const column = new Float64Array(length);
    for (let place = 0; place < width; place++) {
      const own = new Uint8Array(bytes, start, length);
      for (let at = 0; at < length; at++) column[at] += own[at] * 256 ** place;
      start += length;
    }
    header[name] = column;
  }
  return header;
}

/** Return the scores of a measure by system and query; NaN if a query has no value. */
const scoresOf = (measure) =>
  once(`scores-${measure}`, (bytes) => {
    const { numbers, places } = columnsIn(bytes);
    const values = new Float64Array(Uint8Array.from(numbers).buffer);
    const n = places.length / facts.systems.length;
    return facts.systems.map((_, at) =>
      Float64Array.from(places.subarray(at * n, (at + 1) * n), (place) => values[place]));
  });

/** Return a function that returns the next numbers of a column. */
function reader(column) {
  let at = 0;
  return (length) => Array.from(column.subarray(at, (at += length)));
}

/**
 * Return a block of rankings: `texts` by document, and by query the documents `d` with their grades
 * `g`, the ideal ranking `i`, and by system the ranks `r`, the contributions `a` and the ties `t`.
 * Contributions are pairs of a place and a value.
 */
const rankingsIn = (number) =>
  once(`rankings-${number}`, (bytes) => {
    const found = columnsIn(bytes);
    const ids = found.ids || Array.from(found.document, (id) => found.start + id);
    const [rank, contribution, adds, tie] =
      [found.rank, found.contribution, found.adds_of, found.tie].map(reader);
    const [grade, ideal, idealAdds] = [found.grade, found.ideal, found.ideal_adds].map(reader);
    const pairs = (places, codes) => places.flatMap((place, at) => [place, found.adds[codes[at]]]);
    let document = 0;
    let ranking = 0;
    const queries = Array.from(found.documents, (documents, query) => {
      const one = { d: ids.slice(document, document + documents), r: [], a: [], t: [] };
      document += documents;
      one.g = grade(documents).map((code) => found.grades[code]);
      const best = ideal(found.ideals[query]).map((place) => place - 1);
      one.i = pairs(best, idealAdds(best.length));
      let following = Math.max(-1, ...best) + 1;
      for (const last = ranking + facts.systems.length; ranking < last; ranking++) {
        // 0 is the first document that no list above has.
        one.r.push(rank(found.ranks[ranking]).map((code) => (code ? code - 1 : following++)));
        const length = found.contributions[ranking];
        one.a.push(pairs(contribution(length), adds(length)));
        one.t.push(tie(found.ties[ranking]));
      }
      return one;
    });
    return { texts: found.texts, queries };
  });

/** Return the rankings of one query with the texts of the documents. */
async function rankingsOf(query) {
  const found = await rankingsIn(Math.floor(query / facts.listing.block));
  return { texts: found.texts, ...found.queries[query % facts.listing.block] };
}

/** Return title and snippet of a document. An id can be "constructor", so check own properties. */
const textOf = (texts, id) => (Object.hasOwn(texts, id) ? texts[id] : null);

/** Return the mean of each query over the systems that have a value. */
function meansOf(scores, n) {
  const means = new Float64Array(n);
  for (let query = 0; query < n; query++) {
    let sum = 0;
    let count = 0;
    for (const own of scores) {
      if (own[query] === own[query]) {
        sum += own[query];
        count += 1;
      }
    }
    means[query] = count ? sum / count : NaN;
  }
  return means;
}

/** Return the comparison of two systems, or null. The page has each pair in one direction only. */
async function pairOf(measure, system, baseline) {
  const pairs = await block("pairs");
  if (!pairs) return null;
  if (!pairs.index) {
    pairs.index = new Map(pairs.rows.map((row) => [row.slice(0, 3).join(), row]));
  }
  const direct = pairs.index.get([measure, system, baseline].join());
  const row = direct || pairs.index.get([measure, baseline, system].join());
  if (!row) return null;
  const pair = { verdict: row[3], within: row[4] === 1, withheld: row[5] };
  const fields = Object.entries(pairs.fields);
  fields.forEach(([name], at) => { pair[name] = row[at + 6]; });
  pair.facts = fields.filter(([, field]) => field.label);
  if (direct) return pair;
  const mirrored = { ...pair, verdict: { better: "worse", worse: "better" }[pair.verdict] || pair.verdict };
  for (const [name, { mirror }] of fields) {
    const value = mirror ? pair[mirror.replace("-", "")] : pair[name];
    mirrored[name] = mirror.startsWith("-") && value !== null ? -value : value;
  }
  return mirrored;
}
