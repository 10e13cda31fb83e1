// Read the data of the page: facts are parsed immediately, blocks are unpacked on demand.
const facts = JSON.parse(document.getElementById("facts").textContent);

const unpacked = new Map();

/** Decode and decompress a block. */
async function bytesOf(name) {
  const holder = document.getElementById(`block-${name}`);
  if (!holder) return null;
  const packed = Uint8Array.from(atob(holder.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function once(name, read) {
  if (!unpacked.has(name)) unpacked.set(name, bytesOf(name).then((bytes) => bytes && read(bytes)));
  return unpacked.get(name);
}

const json = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
const block = (name) => once(name, json);

/** Return the scores of a measure by system and query; NaN if a query has no value. */
const scoresOf = (measure) =>
  once(`scores-${measure}`, (bytes) => {
    const all = new Float64Array(bytes);
    const n = all.length / facts.systems.length;
    return facts.systems.map((_, at) => all.subarray(at * n, (at + 1) * n));
  });

/** Return the rankings of one query with the texts of the documents. */
async function rankingsOf(query) {
  const found = await block(`rankings-${Math.floor(query / facts.listing.block)}`);
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
  const pair = { verdict: row[3], within: Boolean(row[4]) };
  const fields = Object.entries(pairs.fields);
  fields.forEach(([name], at) => { pair[name] = row[at + 5]; });
  pair.facts = fields.filter(([, field]) => field.label);
  if (direct) return pair;
  const mirrored = { ...pair, verdict: { better: "worse", worse: "better" }[pair.verdict] || pair.verdict };
  for (const [name, { mirror }] of fields) {
    const value = mirror ? pair[mirror.replace("-", "")] : pair[name];
    mirrored[name] = mirror.startsWith("-") && value !== null ? -value : value;
  }
  return mirrored;
}
