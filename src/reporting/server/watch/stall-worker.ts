import { workerData } from "node:worker_threads";
import { watchMainThread } from "./watch-main-thread.ts";

// A thread with no other task.
watchMainThread(workerData);
