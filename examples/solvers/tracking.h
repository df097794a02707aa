/* Plans a motion and tracks it with a new plan for each step. */
#ifndef TRACKING_H
#define TRACKING_H

#include "problem.h"

/* Solves p from the plan in it and prints the result; then, if the words of the command line contain "mpc",
   moves the robot for two seconds, with a new plan of a few iterations for each step. Other words:
   "limited-memory" in place of exact Hessians; FILE.csv, which receives the motion. joints: names of the
   positions in q, separated by commas. Returns the exit status of the program. */
int plan_and_track(int count, char** words, struct problem* p, const char* joints);

#endif
