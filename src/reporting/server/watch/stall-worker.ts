import { workerData } from "node:worker_threads";
import { watchMainThread } from "./watch-main-thread.ts";

// A thread that has nothing else to do.
watchMainThread(workerData);
