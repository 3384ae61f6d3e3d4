/**
 * The main net: real core, loop, store, log files and effect runner on a fake engine, in virtual time, one piece of work at
 * a time, by seed. The laws are held against what the engine did, never against what Berth believes.
 */
package dev.berth.server.simulation;
