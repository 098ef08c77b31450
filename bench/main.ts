import { lag } from './lag.ts';
import { start } from './start.ts';
import { votes } from './votes.ts';

const benches: Readonly<Record<string, (print: (line: string) => void) => Promise<void>>> = { lag, start, votes };

const name = process.argv[2] ?? '';
const bench = benches[name];
if (!bench) throw new Error(`usage: npm run bench -- ${Object.keys(benches).join(' | ')}`);
await bench((line) => process.stdout.write(`${line}\n`));
