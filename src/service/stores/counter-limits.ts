// Values of one tag that are counted separately. A tag with more, such as an order number, has no useful distribution.
export const valuesPerTag = 100;

// An issue is found by its first text, and by this many others of its events: messages and routes,
export const textsPerGroup = 10;

// and stacks, which are few, since different ones rarely belong to one issue.
export const stacksPerGroup = 20;

// A large application has a few hundred built files. More are invented.
export const chunksPerRelease = 500;

// Up to this many visitors are counted exactly, by one small row each. Beyond it, one kilobyte estimates them within a
// few per cent.
export const visitorsCountedExactly = 1_000;
