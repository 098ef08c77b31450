/**
 * Lets Node itself load a module, once for all test files of a process: jest would compile it again for each file, which takes nearly half
 * of the CPU time of a test process. Jest gets a module that passes the exports on.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const thisTransform = readFileSync(import.meta.filename, 'utf8');
const native = `runInThisContext("process.getBuiltinModule('node:module').createRequire")`;

/** Jest's main process loads modules with Node in any case. */
const isTestProcess = () => process.env.JEST_WORKER_ID !== undefined;

export default {
  process(source, path, { supportsStaticESM }) {
    if (!isTestProcess()) return { code: source };
    const loaded = `${native}(${JSON.stringify(path)})(${JSON.stringify(path)})`;
    const names = exportsOf(path);
    return { code: supportsStaticESM ? esModule(loaded, names) : commonModule(loaded, names) };
  },
  getCacheKey: (source, path, { supportsStaticESM }) =>
    createHash('sha1')
      .update([thisTransform, path, supportsStaticESM, ...(isTestProcess() ? exportsOf(path) : [source])].join('\0'))
      .digest('hex'),
};

/** Not from its text: it may pass the exports of another module on. */
function exportsOf(path) {
  return Object.keys(require(path)).filter((name) => /^[a-z_$][\w$]*$/i.test(name));
}

/** Under other names inside: an export may be called `delete`. */
function esModule(loaded, names) {
  return `import { runInThisContext } from 'node:vm';
const loaded = ${loaded};
${names.map((name, index) => `const e${index} = loaded.${name};`).join('\n')}
export { ${names.map((name, index) => `e${index} as ${name}`).join(', ')} };
`;
}

/** Whoever imports it finds the names of its exports in the last statement, which does nothing. */
function commonModule(loaded, names) {
  return `const { runInThisContext } = require('node:vm');
module.exports = ${loaded};
0 && (module.exports = { ${names.filter((name) => name !== 'default').join(', ')} });
`;
}
