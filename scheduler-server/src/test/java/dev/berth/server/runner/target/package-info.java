@NullMarked
package dev.berth.server.runner.target;

import org.jspecify.annotations.NullMarked;
