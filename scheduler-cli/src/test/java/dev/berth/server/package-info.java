/** A package of the server's name, for the test that the command does not depend on it. */
@NullMarked
package dev.berth.server;

import org.jspecify.annotations.NullMarked;
