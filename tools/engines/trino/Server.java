import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Trino with tables in memory, from the jars of Maven Central: arguments HOME PORT, 0 for a free port. */
public final class Server {
    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        int port = Integer.parseInt(arguments[1]);
        if (port == 0) {
            // It has to know its own address before it starts.
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = socket.getLocalPort();
            }
        }
        Path catalogs = Files.createDirectories(home.resolve("catalogs"));
        Files.writeString(catalogs.resolve("memory.properties"), "connector.name=memory\n");
        plugIn(home.resolve("plugins/memory"));
        Path settings = Files.write(home.resolve("config.properties"), List.of(
            "coordinator=true",
            "node-scheduler.include-coordinator=true",
            "node.environment=tests",
            "node.bind-ip=127.0.0.1",
            "node.internal-address=127.0.0.1",
            "http-server.http.port=" + port,
            "discovery.uri=http://127.0.0.1:" + port,
            "catalog.config-dir=" + catalogs,
            "plugin.dir=" + home.resolve("plugins"),
            "query.max-memory-per-node=128MB",
            "memory.heap-headroom-per-node=128MB"));
        System.setProperty("config", settings.toString());
        new io.trino.server.Server().start("tests");
        Ready.until(home, port);
        System.exit(0);
    }

    /** Link the jars into the folder of a plugin, with the name of its class, which they lack. */
    private static void plugIn(Path folder) throws Exception {
        Path names = Files.createDirectories(folder.resolve("names/META-INF/services"));
        Files.writeString(names.resolve("io.trino.spi.Plugin"), "io.trino.plugin.memory.MemoryPlugin\n");
        var source = io.trino.server.Server.class.getProtectionDomain().getCodeSource();
        try (var jars = Files.list(Path.of(source.getLocation().toURI()).getParent())) {
            for (Path jar : jars.toList()) {
                Files.createSymbolicLink(folder.resolve(jar.getFileName()), jar);
            }
        }
    }
}
