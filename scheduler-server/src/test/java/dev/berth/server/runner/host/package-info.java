/** Tests of leases for processes of the machine itself, on real processes. */
@NullMarked
package dev.berth.server.runner.host;

import org.jspecify.annotations.NullMarked;
