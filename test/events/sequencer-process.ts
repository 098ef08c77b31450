/** A process that only numbers events, for tests that kill it. Argument: the URL of the database. */
import { startSequencer } from '../../src/events/sequencer.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { openDatabase } from '../../src/store/database.ts';

const logger = createLogger({ service: 'sequencer', level: 'silent' });
const db = openDatabase(process.argv[2] ?? '', () => undefined, 2);
startSequencer({ db, logger, intervalMs: 5 });
