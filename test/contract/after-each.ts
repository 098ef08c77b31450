import { afterAll, afterEach } from '@jest/globals';
import { takeProblems } from './checked-fetch.ts';

/** One cause often has many effects. */
const SHOWN = 10;

function refuseProblems(): void {
  const problems = takeProblems().slice(0, SHOWN);
  if (problems.length > 0) throw new Error(`responses that are not as published:\n${problems.join('\n')}`);
}

afterEach(refuseProblems);
afterAll(refuseProblems);
