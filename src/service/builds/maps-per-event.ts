/**
 * A stack leads through a few files of a build. Opening a map takes tens of milliseconds, and the client chooses which
 * maps an event names: with all files of a large application in one stack, a few events per second would delay all
 * others.
 */
export const mapsPerEvent = 20;
