// By hand, because the declarations of the package are made from each TypeScript file alone.
export declare const withWindows: string[];
export declare const headlessShell: string;
/** Finds a Chromium that is installed on this machine. */
export declare function systemChromium(names?: readonly string[]): string | undefined;
/** Finds the newest Chromium that Playwright has downloaded. */
export declare function playwrightChromium(): string | undefined;
export declare function isProgram(path: string): boolean;
