import { workerData } from "node:worker_threads";
import { begin } from "./keep-lookout.ts";

// A thread that has nothing else to do.
begin(workerData);
