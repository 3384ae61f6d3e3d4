package dev.berth.server.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The process that listens at a Unix socket (unix(7), SO_PEERCRED), which Java tells no more of than the user. */
public final class PeerProcess {
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_NONBLOCK = 2048;
    private static final int SOCK_CLOEXEC = 524_288;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;

    /** No socket of this name is there, or nobody listens at it (connect(2)). */
    private static final int ENOENT = 2;

    private static final int ECONNREFUSED = 111;

    /** The queue is full: so many wait already that it takes nobody more (unix(7)). */
    private static final int EAGAIN = 11;

    /** pid, uid, gid. */
    private static final int UCRED_BYTES = 12;

    /** With the final zero (linux/un.h). */
    private static final int MAX_PATH_BYTES = 108;

    private PeerProcess() {}

    /**
     * The process that made the socket listen: where the system's manager did so for a service, that manager. Empty
     * where it is of a namespace that is not seen from here, or could not be asked.
     *
     * @throws ConnectException where no process listens now
     * @throws IOException where the listener takes no connection for the moment
     */
    public static OptionalLong of(Path socket) throws IOException {
        byte[] path = socket.toString().getBytes(StandardCharsets.UTF_8);
        if (path.length >= MAX_PATH_BYTES) {
            return OptionalLong.empty();
        }
        long descriptor = SystemCall.SOCKET.of(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, 0, 0);
        if (descriptor < 0) {
            return OptionalLong.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(Short.BYTES + MAX_PATH_BYTES);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, Short.BYTES, path.length);
            long connected = SystemCall.CONNECT.of(descriptor, address.address(), Short.BYTES + path.length + 1, 0, 0);
            if (connected == -ECONNREFUSED || connected == -ENOENT) {
                throw new ConnectException("nobody answers at " + socket);
            }
            if (connected == -EAGAIN) {
                throw new IOException("too many wait at " + socket);
            }
            if (connected < 0) {
                return OptionalLong.empty();
            }
            MemorySegment credentials = arena.allocate(UCRED_BYTES, Integer.BYTES);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            length.set(ValueLayout.JAVA_INT, 0, UCRED_BYTES);
            long answer = SystemCall.GETSOCKOPT.of(
                    descriptor, SOL_SOCKET, SO_PEERCRED, credentials.address(), length.address());
            int pid = answer < 0 ? 0 : credentials.get(ValueLayout.JAVA_INT, 0);
            return pid > 0 ? OptionalLong.of(pid) : OptionalLong.empty();
        } finally {
            long _ = SystemCall.CLOSE.of(descriptor);
        }
    }
}
