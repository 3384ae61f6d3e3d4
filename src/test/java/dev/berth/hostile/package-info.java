/**
 * What two ordinary users of the machine try against a server that root runs, and against each other, from their side:
 * with the built distribution, a real Docker Engine and real users. What it takes to drive them is in
 * {@code system.fixture}; what an honest user does is tested in {@code system}.
 */
package dev.berth.hostile;
