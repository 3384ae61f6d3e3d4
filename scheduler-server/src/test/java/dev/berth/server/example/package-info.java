/** Examples that the tests of several rooms share: jobs, users, a clock that stands still. */
@NullMarked
package dev.berth.server.example;

import org.jspecify.annotations.NullMarked;
