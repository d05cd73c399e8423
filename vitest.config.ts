import { defineConfig } from 'vitest/config';
// @ts-expect-error: plain JavaScript, which runs without a build
import { handlebars } from './scripts/handlebars.mjs';
// @ts-expect-error: likewise
import { pageAssets } from './scripts/page-assets.mjs';

export default defineConfig({
  plugins: [handlebars, pageAssets()],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/job/**', 'test/world/**'],
          globalSetup: ['test/support/state-home.ts', 'test/support/build.ts'],
          isolate: false, // a process for each of 80 files takes longer than most of them
          testTimeout: 60_000, // beside the other lanes, what takes 2 s may take 20
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/state-home.ts', 'test/support/build.ts', 'test/e2e/support/ray.ts'],
          testTimeout: 600_000,
          hookTimeout: 900_000,
          maxWorkers: 3, // most of the time they wait for what they started
        },
      },
      {
        extends: true,
        // Packages of NeMo Platform, which scripts/test-platform.mjs asks for
        test: {
          name: 'platform',
          include: ['test/job/**/*.test.ts'],
          globalSetup: ['test/support/state-home.ts', 'test/support/build.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 900_000,
        },
      },
      {
        extends: true,
        // A checkout of the OpenEnv repository, which scripts/test-world.mjs asks for
        test: {
          name: 'world',
          include: ['test/world/**/*.test.ts'],
          globalSetup: ['test/support/state-home.ts', 'test/support/build.ts', 'test/e2e/support/ray.ts'],
          testTimeout: 600_000,
          hookTimeout: 1_800_000,
        },
      },
    ],
  },
});
