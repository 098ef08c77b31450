import { type Instant, instant } from '../../platform/units/instant.ts';

/** How far a version is developed. It is deprecated from `deprecatedAt` on (spec, "Versioning" 2). */
type Maturity = 'alpha' | 'beta' | 'stable';

/** The newest version of one major version of the API contract. */
export interface Release {
  /** `v<major>.<minor>.<patch>` */
  readonly version: string;
  readonly maturity: Maturity;
  readonly releasedAt: Instant;
  /** When its deprecation begins; null while none is planned. */
  readonly deprecatedAt: Instant | null;
  /** Address of the guide for callers who move to this major version. */
  readonly migrationGuide: string;
}

/** The version of the contract that this service implements; not the version of the program. */
export const apiVersion = 'v1.0.0';

/** Every major version that was ever released, the oldest first. */
export const apiReleases: readonly Release[] = [
  {
    version: apiVersion,
    maturity: 'stable',
    releasedAt: instant(Date.UTC(2026, 10, 20)),
    deprecatedAt: null,
    migrationGuide: '/docs/migrations/v1',
  },
];
