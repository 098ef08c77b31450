import { claims } from './claims.ts';
import { crowd } from './crowd.ts';
import { events } from './events.ts';
import { http } from './http.ts';
import { lag } from './lag.ts';
import { scale } from './scale.ts';
import { start } from './start.ts';
import { votes } from './votes.ts';

type Bench = (print: (line: string) => void, ...options: string[]) => Promise<void>;

const benches: Readonly<Record<string, Bench>> = { claims, crowd, events, http, lag, scale, start, votes };

const [name = '', ...options] = process.argv.slice(2);
const bench = benches[name];
if (!bench) throw new Error(`usage: npm run bench -- ${Object.keys(benches).join(' | ')}`);
await bench((line) => process.stdout.write(`${line}\n`), ...options);
