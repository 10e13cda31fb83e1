import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/** What the servers have in common: telling their port, ending with their parent, and settings. */
final class Ready {
    private Ready() {}

    /** Return what Elasticsearch and OpenSearch are told alike: one node, on the loopback interface. */
    static Map<String, String> node(String home, String port) {
        return Map.of(
            "path.home", home,
            "discovery.type", "single-node",
            "http.host", "127.0.0.1",
            "http.port", port,
            "transport.host", "127.0.0.1",
            "transport.port", "0",
            // A disk that is nearly full is no reason to refuse a few megabytes.
            "cluster.routing.allocation.disk.threshold_enabled", "false");
    }

    /** Write the port into a file that is either whole or not there, and wait for the end of input. */
    static void until(Path home, int port) throws IOException {
        Path draft = Files.writeString(home.resolve("port.draft"), Integer.toString(port));
        Files.move(draft, home.resolve("port"), StandardCopyOption.ATOMIC_MOVE);
        // Input ends when whoever started this closes it or dies, so no server outlives its tests.
        while (System.in.read() >= 0) {
            continue;
        }
    }
}
