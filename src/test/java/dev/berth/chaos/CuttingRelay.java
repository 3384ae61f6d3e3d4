package dev.berth.chaos;

import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A socket that leads to another one and cuts what goes through it when it is told to, at whatever byte that is. */
final class CuttingRelay implements AutoCloseable {
    private static final int BUFFER = 1 << 14;
    private static final int LONGEST_FUSE_BITS = 14;

    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong cuts = new AtomicLong();
    private final Path address;
    private final UnixListener entrance;
    private final Path leadsTo;
    private final SplittableRandom random;
    private volatile boolean nervous;

    private CuttingRelay(Path address, Path leadsTo, SplittableRandom random) {
        this.address = address;
        this.entrance = UnixListener.at(address);
        this.leadsTo = leadsTo;
        this.random = random;
    }

    static CuttingRelay open(Path address, Path leadsTo, SplittableRandom random) {
        CuttingRelay relay = new CuttingRelay(address, leadsTo, random);
        relay.entrance.start(relay::lead);
        return relay;
    }

    /** Cuts all connections that there are. */
    void cut() {
        open.forEach(Connection::cut);
    }

    /** While it is nervous, every other new connection is cut after some bytes. */
    void nervous(boolean now) {
        nervous = now;
    }

    long cuts() {
        return cuts.get();
    }

    private void lead(SocketChannel caller) throws IOException, InterruptedException {
        try (SocketChannel called = entrance.connect(leadsTo)) {
            Connection connection = new Connection(caller, called, new AtomicLong(fuse()));
            open.add(connection);
            Thread back = Thread.ofVirtual().start(() -> connection.carry(called, caller));
            connection.carry(caller, called);
            back.join();
            connection.close();
        }
    }

    /** The bytes until a cut; few as often as many: the interesting places are near the beginning of an answer. */
    private synchronized long fuse() {
        return nervous && random.nextBoolean()
                ? random.nextLong(1L << random.nextInt(1, LONGEST_FUSE_BITS))
                : Long.MAX_VALUE;
    }

    @Override
    public void close() {
        cut();
        entrance.close();
        TestFiles.delete(address);
    }

    private final class Connection {
        private final SocketChannel caller;
        private final SocketChannel called;
        private final AtomicLong fuse;

        Connection(SocketChannel caller, SocketChannel called, AtomicLong fuse) {
            this.caller = caller;
            this.called = called;
            this.fuse = fuse;
        }

        /** One direction, to its end; then the other side is told that no more comes. */
        void carry(SocketChannel from, SocketChannel to) {
            ByteBuffer bytes = ByteBuffer.allocate(BUFFER);
            try {
                while (from.read(bytes) >= 0) {
                    bytes.flip();
                    long left = fuse.addAndGet(-bytes.limit());
                    if (left < 0) {
                        bytes.limit((int) Math.max(0, bytes.limit() + left));
                    }
                    while (bytes.hasRemaining()) {
                        to.write(bytes);
                    }
                    bytes.clear();
                    if (left < 0) {
                        cut();
                    }
                }
                to.shutdownOutput();
            } catch (IOException _) {
                // One side has gone, so the other one shall, too.
                close();
            }
        }

        void cut() {
            if (open.contains(this)) {
                cuts.incrementAndGet();
            }
            close();
        }

        void close() {
            open.remove(this);
            UnixListener.close(caller);
            UnixListener.close(called);
        }
    }
}
