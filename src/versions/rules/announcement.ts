/** What the versions of the API are announced with (spec, "Versioning" 9). */
export const announcementKinds = ['NEW_VERSION', 'DEPRECATION', 'END_OF_LIFE'] as const;
export type AnnouncementKind = (typeof announcementKinds)[number];
