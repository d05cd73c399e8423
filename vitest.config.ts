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
          exclude: ['test/e2e/**', 'test/world/**', 'test/trainers/**', 'test/job/**'],
          globalSetup: ['test/support/state-home.ts', 'test/support/build.ts'],
          isolate: false, // a process for each of 80 files takes longer than most of them
          testTimeout: 60_000, // next to the other lanes, a test of 2 s may take 20
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
          maxWorkers: 3, // the tests mostly wait for the processes that they start
        },
      },
      {
        extends: true,
        // Needs a checkout of the OpenEnv repository; scripts/test-world.mjs requires one
        test: {
          name: 'world',
          include: ['test/world/**/*.test.ts'],
          globalSetup: ['test/support/state-home.ts', 'test/support/build.ts', 'test/e2e/support/ray.ts'],
          testTimeout: 600_000,
          hookTimeout: 1_800_000,
        },
      },
      {
        extends: true,
        // Packages of NeMo Platform with real wheels, in the job's own host script: scripts/test-platform.mjs
        test: {
          name: 'platform',
          include: ['test/job/**/*.test.ts'],
          globalSetup: ['test/support/state-home.ts', 'test/support/build.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
          maxWorkers: 1,
        },
      },
      {
        extends: true,
        // A checkout of NeMo RL and a wheel of Axolotl, which scripts/test-trainers.mjs asks for
        test: {
          name: 'trainers',
          include: ['test/trainers/**/*.test.ts'],
          globalSetup: ['test/support/state-home.ts', 'test/support/build.ts', 'test/e2e/support/ray.ts'],
          testTimeout: 600_000,
          hookTimeout: 900_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
