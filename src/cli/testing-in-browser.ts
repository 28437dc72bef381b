import { cliErrors } from "./errors.ts";

/** Replaces `testing.ts` where a bundler prepares `holdfast/testing` for a browser, such as that of Storybook. */
function refuseInBrowser(): Promise<never> {
  return Promise.reject(cliErrors.testAppInBrowser());
}

export { refuseInBrowser as openTestApp };
