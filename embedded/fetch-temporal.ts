/** Downloads Temporal before the first start, while packages are installed (scripts/bootstrap.mjs): it imports none of them. */
import { findTemporal } from './temporal-binary.ts';

await findTemporal((line) => process.stdout.write(`${line}\n`));
