package dev.berth.server.config;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the server is, and how much it does at once.
 *
 * @param gpus whether it gives out GPUs, made-up ones included
 * @param workers how many jobs run at once, 0 for as many as there are GPUs
 * @param cpuWorkers how many more jobs run at once that ask for no GPU
 * @param simulateGpus how many GPUs to make up, 0 for none
 * @param port where to listen over TCP, 0 for any free port
 * @param hosts further names that a request over TCP may be for, in lower case
 * @param allowInsecureBind whether another address than this machine's own is good without TLS
 */
public record ServerSettings(
        Path dataDirectory,
        Path socket,
        boolean gpus,
        int workers,
        int cpuWorkers,
        int simulateGpus,
        InetAddress bind,
        int port,
        List<String> hosts,
        boolean allowInsecureBind,
        int maxConnections,
        int maxConnectionsPerUser) {
    public ServerSettings {
        hosts = List.copyOf(hosts);
    }

    static ServerSettings of(Values values) {
        int simulated = values.get(Keys.SIMULATE_GPUS);
        Integer workers = values.find(Keys.WORKERS);
        return new ServerSettings(
                values.get(Keys.DATA_DIRECTORY),
                values.get(Keys.SOCKET),
                values.get(Keys.GPUS) || simulated > 0,
                workers == null ? 0 : workers,
                values.get(Keys.CPU_WORKERS),
                simulated,
                values.get(Keys.BIND),
                values.get(Keys.PORT),
                values.get(Keys.HOSTS),
                values.get(Keys.ALLOW_INSECURE_BIND),
                values.get(Keys.MAX_CONNECTIONS_ALL),
                values.get(Keys.MAX_CONNECTIONS_PER_USER));
    }
}
