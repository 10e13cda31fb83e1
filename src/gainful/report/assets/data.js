// What the page holds: facts at once, packed blocks when they are asked for.
const facts = JSON.parse(document.getElementById("facts").textContent);

const unpacked = new Map();

/** Bytes of a block: base64 of gzip. */
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

/** Values of a measure: of each system, of each query; NaN where it has none. */
const scoresOf = (measure) =>
  once(`scores-${measure}`, (bytes) => {
    const all = new Float64Array(bytes);
    const n = all.length / facts.systems.length;
    return facts.systems.map((_, at) => all.subarray(at * n, (at + 1) * n));
  });

/** Rankings of one query, with the texts of their documents. */
async function rankingsOf(query) {
  const found = await block(`rankings-${Math.floor(query / facts.listing.block)}`);
  return { texts: found.texts, ...found.queries[query % facts.listing.block] };
}

/** Title and snippet of a document; ids such as "constructor" are names of what every object has. */
const textOf = (texts, id) => (Object.hasOwn(texts, id) ? texts[id] : null);

/** Means over all systems that have a value, by query. */
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

/** What was found of a system beside another: a pair of the comparison, seen from either side. */
async function pairOf(measure, system, baseline) {
  const pairs = await block("pairs");
  if (!pairs) return null;
  if (!pairs.index) {
    pairs.index = new Map(pairs.rows.map((row) => [row.slice(0, 3).join(), row]));
  }
  const straight = pairs.index.get([measure, system, baseline].join());
  const row = straight || pairs.index.get([measure, baseline, system].join());
  if (!row) return null;
  const pair = { verdict: row[3], within: Boolean(row[4]) };
  const fields = Object.entries(pairs.fields);
  fields.forEach(([name], at) => { pair[name] = row[at + 5]; });
  pair.facts = fields.filter(([, field]) => field.label);
  if (straight) return pair;
  const turned = { ...pair, verdict: { better: "worse", worse: "better" }[pair.verdict] || pair.verdict };
  for (const [name, { mirror }] of fields) {
    const value = mirror ? pair[mirror.replace("-", "")] : pair[name];
    turned[name] = mirror.startsWith("-") && value !== null ? -value : value;
  }
  return turned;
}
