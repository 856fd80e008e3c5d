import httpx
import json

class MCPBridgeClient:
    def __init__(self, base_url: str):
        self.base_url = base_url.rstrip('/')
        self.session_id = None
        self.client = httpx.AsyncClient()
    
    async def initialize(self):
        """Initialise une session MCP"""
        response = await self.client.post(
            f"{self.base_url}/mcp/initialize",
            json={
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "python-client", "version": "1.0"}
            }
        )
        data = response.json()
        self.session_id = data["result"]["session_id"]
        return data
    
    async def call_tool(self, name: str, arguments: dict, priority: str = "MEDIUM"):
        """Exécute un outil MCP"""
        response = await self.client.post(
            f"{self.base_url}/mcp/tools/call",
            headers={
                "X-Session-ID": self.session_id,
                "X-Priority": priority
            },
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": name, "arguments": arguments}
            }
        )
        return response.json()

# Utilisation
async def main():
    client = MCPBridgeClient("http://192.168.1.22:3003")
    
    # Initialiser
    await client.initialize()
    
    # Récupérer les entités
    entities = await client.call_tool("get_entities", {"domain": "light"})
    print(f"Trouvé {len(entities['result']['content'])} entités")
    
    # Contrôler une lumière
    result = await client.call_tool(
        "call_service",
        {
            "domain": "light",
            "service": "turn_on",
            "entity_id": "light.salon_lamp"
        },
        priority="HIGH"
    )
    print("Lumière allumée:", result["result"])
