/** The main net: real core, loop, store and effect runner on a fake engine, in virtual time, on one thread, by seed. */
package dev.berth.server.simulation;
