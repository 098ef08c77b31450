import { ServiceError } from '../errors.ts';
import type { Clock } from '../units/time.ts';
import { type Release, supportOf, type VersionSupport } from '../../versions/rules.ts';
import type { Handler } from './request-locals.ts';

/** What the version in a request's path leads to (spec, "Versioning" 6-8), by wall time. */
export interface VersionPolicy {
  /** Announces the end of a deprecated version, in every response to it. */
  readonly announce: Handler;
  /** After `announce`. */
  readonly refuse: Handler;
}

export function createVersionPolicy(releases: readonly Release[], clock: Clock): VersionPolicy {
  const supportFor = (path: string): VersionSupport | null => {
    const major = majorIn(path);
    return major === null ? null : supportOf(releases, major, clock.now());
  };
  return {
    announce({ path }, response, next) {
      const support = supportFor(path);
      response.locals.versionSupport = support;
      if (support?.kind === 'active' || support?.kind === 'deprecated')
        response.locals.version = support.release.version;
      if (support?.kind === 'deprecated')
        response.set({
          Deprecation: 'true',
          Sunset: new Date(support.sunset).toUTCString(),
          Link: `<${support.guide}>; rel="deprecation"`,
          Warning: '299 - "Deprecated API Version"',
        });
      next();
    },
    refuse(_request, { locals }, next) {
      const support = locals.versionSupport;
      if (support?.kind === 'unknown') throw new ServiceError('VERSION_NOT_SUPPORTED');
      if (support?.kind === 'ended') {
        const { version, migrationGuide } = support.minimum;
        throw new ServiceError('VERSION_ENDED', { minimumVersion: version, migrationGuide });
      }
      next();
    },
  };
}

/** The major version of a path such as /api/v1/vaults; null for other paths. */
function majorIn(path: string): number | null {
  const [, digits] = /^\/api\/v(\d+)(?:\/|$)/i.exec(path) ?? [];
  return digits === undefined ? null : Number(digits);
}
